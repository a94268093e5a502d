// Plays one film and prints what was measured, as docs/formats/stream-result.md describes.
// In: one JSON request, a line, on standard input. When the browser stands and only the film is missing, the line `ready`
// goes out, and the next line on standard input starts it. Out: one JSON document on standard output.
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
