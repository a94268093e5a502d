// Driver that plays one film; docs/formats/stream-result.md describes its output.
// Input: a line with a JSON request. When the browser is ready for the film, the driver prints the line `ready`, and the
// next line of input starts the playback. Output: one JSON document.
import { createInterface } from 'node:readline';
import { play } from './play.mjs';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const request = JSON.parse((await lines.next()).value);
const ready = async () => {
  process.stdout.write('ready\n');
  await lines.next();
};
let result;
try {
  result = await play(request, ready);
} catch (error) {
  result = { status: 'failed', error: String(error?.message ?? error).split('\n')[0] };
}
process.stdout.write(JSON.stringify({ format: 1, ...result }) + '\n', () => process.exit(0));
