// What a load costs the machine.
import { cpus } from 'node:os';

// CPU seconds of all of the browser's processes so far.
export async function browserSeconds(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, process) => sum + process.cpuTime, 0);
}

// Busy and all ticks of every core so far.
export function machineTimes() {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const total = Object.values(times).reduce((sum, ticks) => sum + ticks, 0);
    all += total;
    busy += total - times.idle;
  }
  return { busy, all };
}

// Share of all cores that was busy between two readings, 0 to 1.
export function machineLoad(before, after) {
  const all = after.all - before.all;
  return all > 0 ? (after.busy - before.busy) / all : null;
}
