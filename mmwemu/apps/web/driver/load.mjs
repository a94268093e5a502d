// One page load with a cold cache in a browser of its own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserSeconds, machineTimes, machineLoad } from '../../shared/browser/driver/cost.mjs';
import { end, launch } from '../../shared/browser/driver/launch.mjs';
import { loadModule } from '../../shared/browser/driver/modules.mjs';
import { within } from '../../shared/browser/driver/within.mjs';
import { deviceNames, findDevice } from './devices.mjs';
import { watchPage, pageTimings } from './timings.mjs';
import { watchNetwork } from './network.mjs';
import { visualProgress } from './visual.mjs';
import { retransmissions } from './tcp.mjs';

const TRACE_CATEGORIES = [
  '-*', 'devtools.timeline', 'blink.user_timing', 'loading', 'disabled-by-default-devtools.screenshot',
];

// Time limits of the browser's answers and of its trace; a slower browser counts as hung.
const ANSWER_S = 8;
const TIMINGS_S = 15;
const BUSY_S = 4;
const TRACE_S = 25;

export async function load(request, ready) {
  const puppeteer = await loadModule(request.modules, 'puppeteer-core');
  if (request.list_devices) return { devices: deviceNames(puppeteer) };
  const browser = await launch(puppeteer, request);
  try {
    const device = await findDevice(puppeteer, browser, request.device);
    if (!device) return { status: 'failed', error: `device ${request.device} is not known` };
    return { browser: await browser.version(), ...(await measure(browser, device, request, ready)) };
  } catch (error) {
    if (browser.connected) throw error;
    return { status: 'failed', error: 'the browser ended during the load' };
  } finally {
    end(browser.process());
  }
}

async function measure(browser, device, request, ready) {
  const root = await browser.target().createCDPSession();
  const page = (await browser.pages())[0] ?? (await browser.newPage());
  await page.emulate(device);
  const session = await page.createCDPSession();
  const network = await watchNetwork(session, Boolean(request.keep));
  await watchPage(page);
  let crashed = false;
  session.on('Inspector.targetCrashed', () => { crashed = true; });
  await session.send('Inspector.enable');
  await page.tracing.start({ categories: TRACE_CATEGORIES });
  await ready();
  const before = { browser: await browserSeconds(root), machine: machineTimes(), tcp: retransmissions() };
  const { arrived, ...outcome } = await go(page, request);
  const machine_load = machineLoad(before.machine, machineTimes());
  if (outcome.status === 'ok') await new Promise((done) => setTimeout(done, request.settle_s * 1000));
  const after = await within(ANSWER_S, browserSeconds(root), 'no CPU time');
  const tcp = retransmissions();
  // The browser reports a crashed page as loaded.
  if (crashed) return { status: 'failed', error: 'the page crashed' };
  // A script that never ends keeps the page from answering, which is not the browser's fault.
  const timings = outcome.status === 'timeout'
    ? await within(BUSY_S, pageTimings(page), 'no timings').catch(() => ({}))
    : await within(TIMINGS_S, pageTimings(page), 'no timings');
  const trace = await within(TRACE_S, readTrace(page), 'no trace');
  const speedline = await loadModule(request.modules, 'speedline-core');
  const visual = await visualProgress(speedline, trace, arrived, request.frames);
  if (request.keep) await keep(request, trace, network.events);
  const { connections, network: traffic } = network.summary();
  traffic.retransmissions = tcp.segments - before.tcp.segments;
  traffic.syn_retransmissions = tcp.syns - before.tcp.syns;
  const cost = { browser_cpu_s: after - before.browser, machine_load };
  return { ...outcome, timings, visual, network: traffic, connections, cost };
}

async function readTrace(page) {
  return JSON.parse(Buffer.from(await page.tracing.stop()).toString('utf8'));
}

// Navigates to the page; reaching the limit is a result, a network error a failure.
async function go(page, request) {
  const begun = performance.now();
  let [status, error, arrived] = ['ok', '', request.url];
  // The target of redirects must be known even if the load does not end.
  page.on('response', (response) => {
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) arrived = response.url();
  });
  try {
    const response = await page.goto(request.url, { waitUntil: 'load', timeout: request.limit_s * 1000 });
    if (response && !response.ok()) [status, error] = ['failed', `the server answered ${response.status()}`];
  } catch (problem) {
    const words = String(problem.message).split('\n')[0];
    status = problem.name === 'TimeoutError' ? 'timeout' : 'failed';
    error = status === 'timeout' ? `not loaded within ${request.limit_s} s` : words;
  }
  return { status, error, arrived, duration_s: (performance.now() - begun) / 1000 };
}

async function keep(request, trace, events) {
  const { harFromMessages } = await loadModule(request.modules, 'chrome-har');
  writeFileSync(join(request.keep, 'trace.json'), JSON.stringify(trace));
  writeFileSync(join(request.keep, 'page.har'), JSON.stringify(harFromMessages(events)));
}
