// Speed Index and visual completeness from the screenshots in a trace.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CATEGORY = 'disabled-by-default-devtools.screenshot';
// Most screenshots in a trace; beyond, the end of the load is not recorded.
const MOST_FRAMES = 450;

// Returns null for unknown values, with the reason in `note`.
export async function visualProgress(speedline, trace, url, folder) {
  const events = trace.traceEvents ?? trace;
  const origin = events
    .filter((event) => event.name === 'navigationStart' && event.args?.data?.documentLoaderURL === url)
    .map((event) => event.ts)
    .at(-1);
  const shots = events
    .filter((event) => event.cat?.includes(CATEGORY) && event.args?.snapshot && event.ts >= origin)
    .sort((a, b) => a.ts - b.ts);
  const frames = shots.map((shot, i) => {
    const file = `${String(i).padStart(4, '0')}.jpg`;
    writeFileSync(join(folder, file), Buffer.from(shot.args.snapshot, 'base64'));
    return { time_s: (shot.ts - origin) / 1e6, file };
  });
  const nothing = { speed_index_s: null, visual_s: {}, above_the_fold_s: null, frames };
  if (origin === undefined) return { ...nothing, note: 'the trace has no start of the navigation' };
  if (shots.length === 0) return { ...nothing, note: 'nothing was drawn' };
  if (shots.length >= MOST_FRAMES) return { ...nothing, note: `more than ${MOST_FRAMES} screenshots` };
  let found;
  try {
    found = await speedline({ traceEvents: shots }, { timeOrigin: origin, include: 'speedIndex' });
  } catch (error) {
    return { ...nothing, note: `speedline: ${String(error.message).split('\n')[0]}` };
  }
  const steps = found.frames.map((frame) => [frame.getTimeStamp() - origin / 1000, frame.getProgress()]);
  const reached = (percent) => steps.find(([, progress]) => progress >= percent)?.[0] / 1000;
  const between = steps.some(([, progress]) => progress > 0 && progress < 100);
  return {
    speed_index_s: found.speedIndex / 1000,
    visual_s: { 85: reached(85), 95: reached(95), 99: reached(99) },
    above_the_fold_s: steps.at(-1)[0] / 1000,
    frames,
    note: between ? '' : 'the page appeared in one jump',
  };
}
