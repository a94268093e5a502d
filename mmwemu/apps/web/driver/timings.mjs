// Timings that the page itself reports, in seconds since navigation started.

// Installs observers of transient events before the page begins.
export async function watchPage(page) {
  await page.evaluateOnNewDocument(() => {
    if (window !== window.top) return;
    const seen = { lcp_ms: null, shifts: [], long_tasks: [] };
    window.__mmwemu = seen;
    const watch = (type, take) => {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    };
    watch('largest-contentful-paint', (entry) => { seen.lcp_ms = entry.startTime; });
    watch('layout-shift', (entry) => {
      if (!entry.hadRecentInput) seen.shifts.push([entry.startTime, entry.value]);
    });
    watch('longtask', (entry) => seen.long_tasks.push([entry.startTime, entry.duration]));
  });
}

// A page that never began has no timings; those of the browser's error page mean nothing.
export async function pageTimings(page) {
  if (!/^https?:/.test(page.url())) return {};
  const seen = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    const paints = Object.fromEntries(performance.getEntriesByType('paint').map((e) => [e.name, e.startTime]));
    return { navigation: navigation?.toJSON(), paints, ...window.__mmwemu };
  });
  const navigation = seen.navigation ?? {};
  const fcp_ms = seen.paints['first-contentful-paint'];
  return {
    connect_start_s: seconds(navigation.connectStart),
    ttfb_s: seconds(navigation.responseStart),
    first_paint_s: seconds(seen.paints['first-paint']),
    fcp_s: seconds(fcp_ms),
    lcp_s: seconds(seen.lcp_ms),
    dom_interactive_s: seconds(navigation.domInteractive),
    dom_content_loaded_s: seconds(navigation.domContentLoadedEventEnd),
    on_load_s: seconds(navigation.loadEventEnd),
    cls: layoutShift(seen.shifts ?? []),
    tbt_s: fcp_ms ? blockingTime(seen.long_tasks ?? [], fcp_ms) / 1000 : null,
  };
}

// A time of 0 means that the point was not reached.
function seconds(ms) {
  return ms > 0 ? ms / 1000 : null;
}

// Largest sum of shifts in a window of at most 5 s without a gap of 1 s (web.dev/cls).
export function layoutShift(shifts) {
  let [largest, sum, first, last] = [0, 0, -Infinity, -Infinity];
  for (const [at, value] of shifts) {
    if (at - last > 1000 || at - first > 5000) [sum, first] = [0, at];
    sum += value;
    last = at;
    largest = Math.max(largest, sum);
  }
  return largest;
}

// Time of long tasks beyond 50 ms each, after first contentful paint.
export function blockingTime(tasks, fcp_ms) {
  return tasks.reduce((sum, [at, duration]) => {
    const begin = Math.max(at, fcp_ms);
    return sum + Math.max(0, at + duration - begin - 50);
  }, 0);
}
