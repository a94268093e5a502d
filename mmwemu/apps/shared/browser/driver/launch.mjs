// Headless browser in a process group of its own; all hosts map to the testbed's server or are reached by a proxy.

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-default-apps', '--mute-audio', '--hide-scrollbars',
  '--disable-features=OptimizationHints,MediaRouter,Translate,HttpsUpgrades',
];

// Starts the browser, in a process group of its own.
export async function launch(puppeteer, request) {
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

// Ends the whole process group, because the started program may be a script that starts the browser.
export function end(started) {
  try {
    process.kill(-started.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function flags(request) {
  const given = [...FLAGS, ...(request.proxy ? throughProxy(request) : toTestbed(request))];
  if (request.protocol !== 'h3') given.push('--disable-quic');
  if (!['h2', 'h3'].includes(request.protocol)) given.push('--disable-http2');
  return given;
}

// A recording proxy signs certificates itself, and verifies those of the servers.
function throughProxy(request) {
  return [`--proxy-server=http://${request.proxy}`, '--proxy-bypass-list=<-loopback>', '--ignore-certificate-errors'];
}

// All known hosts map to the server; requests to others fail at once.
function toTestbed(request) {
  // Hosts with a port of their own; their addresses may begin with https now.
  const port = (tls) => (tls || request.protocol !== 'http' ? 443 : 80);
  const ports = Object.entries(request.ports ?? {}).map(([host, tls]) => [host, `${request.address}:${port(tls)}`]);
  const hosts = request.hosts.map((host) => [host, request.address]);
  const rules = [...ports, ...hosts].map(([name, address]) => `MAP ${name} ${address}`);
  const given = ['--no-proxy-server', `--host-resolver-rules=${[...rules, 'MAP * ~NOTFOUND'].join(', ')}`];
  if (request.public_key_sha256) given.push(`--ignore-certificate-errors-spki-list=${request.public_key_sha256}`);
  if (request.protocol === 'h3') {
    const origins = request.hosts.map((host) => `${host}:443`);
    given.push('--enable-quic', `--origin-to-force-quic-on=${origins.join(',')}`);
  }
  return [...given, ...(request.flags ?? [])];
}
