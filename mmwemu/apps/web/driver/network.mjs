// Network activity from the browser's own events.

const KEPT = [
  'Page.domContentEventFired', 'Page.loadEventFired', 'Page.frameStartedLoading', 'Page.frameAttached',
  'Page.frameScheduledNavigation', 'Network.requestWillBeSent', 'Network.requestServedFromCache',
  'Network.dataReceived', 'Network.responseReceived', 'Network.resourceChangedPriority', 'Network.loadingFinished',
  'Network.loadingFailed', 'Network.requestWillBeSentExtraInfo', 'Network.responseReceivedExtraInfo',
];

export async function watchNetwork(session, keep) {
  const events = [];
  const requests = new Map();
  const connections = [];
  let body_bytes = 0;
  let wire_bytes = 0;
  const on = (method, take) => session.on(method, take);
  if (keep) KEPT.forEach((method) => on(method, (params) => events.push({ method, params })));
  on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (redirectResponse) {
      // A redirected request passes its id to the next one, but counts as a request too.
      requests.set(`${requestId} ${requests.size}`, { url: redirectResponse.url, state: 'done' });
      wire_bytes += redirectResponse.encodedDataLength;
    }
    if (!request.url.startsWith('data:')) requests.set(requestId, { url: request.url, state: 'open' });
  });
  on('Network.responseReceived', ({ requestId, response }) => {
    const request = requests.get(requestId);
    if (!request) return;
    request.protocol = response.protocol;
    if (response.status >= 400) request.state = 'failed';
    const timing = response.timing;
    if (timing && timing.connectStart >= 0) {
      connections.push({
        host: new URL(request.url).hostname,
        connect_s: (timing.connectEnd - timing.connectStart) / 1000,
        tls_s: timing.sslStart >= 0 ? (timing.sslEnd - timing.sslStart) / 1000 : null,
      });
    }
  });
  on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (requests.has(requestId)) body_bytes += dataLength;
  });
  on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (!request) return;
    wire_bytes += encodedDataLength;
    if (request.state === 'open') request.state = 'done';
  });
  on('Network.loadingFailed', ({ requestId, errorText }) => {
    const request = requests.get(requestId);
    if (request) Object.assign(request, { state: 'failed', error: errorText });
  });
  await session.send('Network.enable');
  await session.send('Page.enable');
  const summary = () => {
    const all = [...requests.values()];
    return {
      network: {
        requests: all.length,
        failed_requests: all.filter((request) => request.state === 'failed').length,
        open_requests: all.filter((request) => request.state === 'open').length,
        protocols: [...new Set(all.map((request) => request.protocol).filter(Boolean))].sort(),
        body_bytes,
        wire_bytes,
      },
      connections,
    };
  };
  return { events, summary };
}
