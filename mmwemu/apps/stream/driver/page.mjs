// Functions that run in the page, where the rest of this module is not available. Times are s since the player got the
// film.

// Passes the film to the player and starts to record samples and events.
export function start({ url, abr, duration_s }) {
  const video = document.querySelector('video');
  const player = window.dashjs.MediaPlayer().create();
  const events = window.dashjs.MediaPlayer.events;
  const seen = { startup_s: null, error: '', samples: [], segments: [], events: [], open: new Map() };
  const begun = { date_ms: Date.now(), ms: performance.now() };
  const now = () => (performance.now() - begun.ms) / 1000;
  const since = (date) => (date ? (date.getTime() - begun.date_ms) / 1000 : null);
  const note = (event, track) => seen.events.push({ time_s: now(), event, track: track ?? '' });
  let received_bytes = 0;

  player.updateSettings({
    debug: { logLevel: 0 },
    streaming: {
      abr: { rules: { bolaRule: { active: abr !== 'throughput' }, throughputRule: { active: abr !== 'bola' } } },
    },
  });
  video.addEventListener('playing', () => {
    seen.startup_s ??= now();
    note('playing');
  });
  for (const name of ['waiting', 'ended', 'pause']) video.addEventListener(name, () => note(name));
  player.on(events.BUFFER_EMPTY, ({ mediaType }) => note('buffer-empty', mediaType));
  player.on(events.BUFFER_LOADED, ({ mediaType }) => note('buffer-loaded', mediaType));
  player.on(events.ERROR, ({ error }) => { seen.error ||= String(error?.message ?? error); });
  player.on(events.FRAGMENT_LOADING_STARTED, ({ request }) => {
    if (request.type === 'MediaSegment') seen.open.set(request, now());
  });
  const close = (request, outcome) => {
    const requested_s = seen.open.get(request);
    if (requested_s === undefined) return;
    seen.open.delete(request);
    const bytes = request.bytesLoaded || 0;
    received_bytes += bytes;
    seen.segments.push({
      track: request.mediaType,
      number: request.index,
      start_s: request.startTime,
      duration_s: request.duration,
      quality: request.representation.absoluteIndex,
      rate_bps: request.representation.bandwidth,
      bytes,
      requested_s,
      first_byte_s: since(request.firstByteDate),
      ended_s: now(),
      outcome,
    });
  };
  player.on(events.FRAGMENT_LOADING_COMPLETED, ({ request, error }) => close(request, error ? 'failed' : 'ok'));
  player.on(events.FRAGMENT_LOADING_ABANDONED, ({ request }) => close(request, 'abandoned'));

  const sample = () => {
    const position_s = video.currentTime;
    let buffer_s = 0;
    for (let i = 0; i < video.buffered.length; i++) {
      if (video.buffered.start(i) <= position_s + 0.1) buffer_s = Math.max(0, video.buffered.end(i) - position_s);
    }
    const kilobits = player.getAverageThroughput('video');
    const frames = video.getVideoPlaybackQuality();
    let loading_bytes = 0;
    for (const request of seen.open.keys()) loading_bytes += request.bytesLoaded || 0;
    seen.samples.push({
      time_s: now(),
      position_s,
      buffer_s,
      quality: player.getCurrentRepresentationForType('video')?.absoluteIndex ?? null,
      throughput_bps: kilobits > 0 ? kilobits * 1000 : null,
      received_bytes: received_bytes + loading_bytes,
      frames: frames.totalVideoFrames,
      dropped_frames: frames.droppedVideoFrames,
    });
    if (now() >= duration_s) clearInterval(timer);
  };
  const timer = setInterval(sample, 100);
  window.__mmwemu = { seen, player, sample, timer, now, close };
  player.initialize(video, url, true);
}

// Stops recording and returns the record.
export function collect() {
  const { seen, player, sample, timer, now, close } = window.__mmwemu;
  clearInterval(timer);
  sample();
  for (const request of [...seen.open.keys()]) close(request, 'open');
  const { startup_s, error, samples, segments, events } = seen;
  const unplayable = startup_s === null && error;
  return {
    status: unplayable ? 'failed' : startup_s === null ? 'timeout' : 'ok',
    error: unplayable ? `the player: ${error}` : startup_s === null ? 'the film did not begin' : '',
    script: `dash.js ${player.getVersion()}`,
    duration_s: now(),
    startup_s,
    samples,
    segments,
    events,
  };
}
