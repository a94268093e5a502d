// CPU use of the browser and load of the machine.
import { cpus } from 'node:os';

// CPU seconds of all of the browser's processes so far.
export async function browserSeconds(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, process) => sum + process.cpuTime, 0);
}

// Busy and total ticks of all cores so far.
export function machineTimes() {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const total = Object.values(times).reduce((sum, ticks) => sum + ticks, 0);
    all += total;
    busy += total - times.idle;
  }
  return { busy, all };
}

// Busy share of all cores between two readings, 0 to 1.
export function machineLoad(before, after) {
  const all = after.all - before.all;
  return all > 0 ? (after.busy - before.busy) / all : null;
}
