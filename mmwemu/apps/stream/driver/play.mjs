// One playback in a browser of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { browserSeconds, machineLoad, machineTimes } from '../../shared/browser/driver/cost.mjs';
import { end, launch } from '../../shared/browser/driver/launch.mjs';
import { loadModule } from '../../shared/browser/driver/modules.mjs';
import { within } from '../../shared/browser/driver/within.mjs';
import { collect, start } from './page.mjs';

// Time limit of the browser's answers; a slower browser counts as hung.
const ANSWER_S = 8;
const VIEWPORT = { width: 1280, height: 720 };
// The page is served locally, but may request the film from a private address.
const FLAGS = ['--autoplay-policy=no-user-gesture-required', '--disable-features=LocalNetworkAccessChecks'];
const PAGE = `<!doctype html><title>film</title>
<style>body { margin: 0; background: black } video { width: 100vw; height: 100vh }</style>
<video muted playsinline></video>`;

export async function play(request, ready) {
  const puppeteer = await loadModule(request.modules, 'puppeteer-core');
  const browser = await launch(puppeteer, { ...request, flags: FLAGS, limit_s: request.duration_s });
  try {
    return { player: await browser.version(), ...(await measure(browser, request, ready)) };
  } catch (error) {
    if (browser.connected) throw error;
    return { status: 'failed', error: 'the browser ended during playback' };
  } finally {
    end(browser.process());
  }
}

async function measure(browser, request, ready) {
  const root = await browser.target().createCDPSession();
  const page = (await browser.pages())[0] ?? (await browser.newPage());
  await page.setViewport(VIEWPORT);
  await openPage(page, new URL(request.url), dashjs(request.modules));
  await ready();
  const before = { browser: await browserSeconds(root), machine: machineTimes() };
  await page.evaluate(start, { url: request.url, abr: request.abr, duration_s: request.duration_s });
  await new Promise((done) => setTimeout(done, request.duration_s * 1000));
  const machine_load = machineLoad(before.machine, machineTimes());
  const after = await within(ANSWER_S, browserSeconds(root), 'no CPU time');
  const seen = await within(ANSWER_S, page.evaluate(collect), 'no playback record');
  if (request.keep) {
    await page.screenshot({ path: join(request.keep, 'player.png') });
    writeFileSync(join(request.keep, 'player.json'), JSON.stringify(seen));
  }
  return { ...seen, cost: { browser_cpu_s: after - before.browser, machine_load } };
}

// Page and player are served locally, so that the first packet over the link belongs to the film. They have the film's
// origin, because browsers hide the timings of other origins.
async function openPage(page, film, script) {
  const session = await page.createCDPSession();
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `${film.origin}/player` }] });
  session.on('Fetch.requestPaused', ({ requestId }) => session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: 200,
    responseHeaders: [{ name: 'content-type', value: 'text/html' }],
    body: Buffer.from(PAGE).toString('base64'),
  }));
  await page.goto(`${film.origin}/player`);
  await session.send('Fetch.disable');
  await session.detach();
  await page.addScriptTag({ content: script });
}

function dashjs(modules) {
  return readFileSync(createRequire(join(modules, 'package.json')).resolve('dashjs'), 'utf8');
}
