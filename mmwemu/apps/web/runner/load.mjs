// One cold load of one page in a browser of its own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from './modules.mjs';
import { browserSeconds, machineTimes, machineLoad } from './cost.mjs';
import { watchPage, pageTimings } from './timings.mjs';
import { watchNetwork } from './network.mjs';
import { visualProgress } from './visual.mjs';

const TRACE_CATEGORIES = [
  '-*', 'devtools.timeline', 'blink.user_timing', 'loading', 'disabled-by-default-devtools.screenshot',
];
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-default-apps', '--mute-audio', '--hide-scrollbars',
  '--disable-features=OptimizationHints,MediaRouter,Translate,HttpsUpgrades', '--no-proxy-server',
];

export async function load(request) {
  const puppeteer = await loadModule(request.modules, 'puppeteer-core');
  if (request.list_devices) return { devices: Object.keys(puppeteer.KnownDevices) };
  const device = puppeteer.KnownDevices[request.device];
  if (!device) return { status: 'failed', error: `device ${request.device} is not one of Puppeteer's` };
  const browser = await launch(puppeteer, request);
  try {
    return { browser: await browser.version(), ...(await measure(browser, device, request)) };
  } catch (error) {
    if (browser.connected) throw error;
    return { status: 'failed', error: 'the browser ended during the load' };
  } finally {
    end(browser.process());
  }
}

// Starts the browser, in a process group of its own.
async function launch(puppeteer, request) {
  const options = {
    executablePath: request.browser,
    headless: 'shell',
    pipe: true,
    userDataDir: request.profile,
    args: flags(request),
    protocolTimeout: (request.limit_s + 30) * 1000,
  };
  try {
    return await puppeteer.launch(options);
  } catch (error) {
    throw new Error(`${request.browser} did not start: ${String(error.message).split('\n')[0]}`);
  }
}

// Ends the whole group: what is started may be a script that starts the browser.
function end(started) {
  try {
    process.kill(-started.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function flags(request) {
  const rules = [...request.hosts.map((host) => `MAP ${host} ${request.address}`), 'MAP * ~NOTFOUND'];
  const given = [...FLAGS, `--host-resolver-rules=${rules.join(', ')}`];
  if (request.public_key_sha256) given.push(`--ignore-certificate-errors-spki-list=${request.public_key_sha256}`);
  if (request.protocol !== 'h2') given.push('--disable-http2');
  return given;
}

async function measure(browser, device, request) {
  const root = await browser.target().createCDPSession();
  const page = (await browser.pages())[0] ?? (await browser.newPage());
  await page.emulate(device);
  const session = await page.createCDPSession();
  const network = await watchNetwork(session, Boolean(request.keep));
  await watchPage(page);
  const busy = { browser: await browserSeconds(root), machine: machineTimes() };
  await page.tracing.start({ categories: TRACE_CATEGORIES });
  const { arrived, ...outcome } = await go(page, request);
  const machine_load = machineLoad(busy.machine, machineTimes());
  if (outcome.status === 'ok') await new Promise((done) => setTimeout(done, request.settle_s * 1000));
  const browser_cpu_s = (await browserSeconds(root)) - busy.browser;
  const timings = await pageTimings(page);
  const trace = JSON.parse(Buffer.from(await page.tracing.stop()).toString('utf8'));
  const speedline = await loadModule(request.modules, 'speedline-core');
  const visual = await visualProgress(speedline, trace, arrived, request.frames);
  if (request.keep) await keep(request, trace, network.events);
  return { ...outcome, timings, visual, ...network.summary(), cost: { browser_cpu_s, machine_load } };
}

// Goes to the page; the limit is a result, an error of the network a failure.
async function go(page, request) {
  const begun = performance.now();
  let status = 'ok';
  let error = '';
  let arrived = request.url;
  // Where redirects lead, known also when the load does not end.
  const follow = (response) => {
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) arrived = response.url();
  };
  page.on('response', follow);
  try {
    const response = await page.goto(request.url, { waitUntil: 'load', timeout: request.limit_s * 1000 });
    if (response && !response.ok()) [status, error] = ['failed', `the page was answered with ${response.status()}`];
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
