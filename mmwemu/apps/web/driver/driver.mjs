// Loads pages, one for each request on standard input, and prints what was measured as docs/formats/web-result.md describes.
// In: a JSON request, a line. When the browser stands and only the navigation is left to do, the line `ready` goes out, and
// the next line of input starts it. Out: a JSON document, a line. It ends with its input.
import { createInterface } from 'node:readline';
import { load } from './load.mjs';

// Answers that an ended browser still owes; what mattered of them has failed already.
process.on('unhandledRejection', () => {});

const say = (line) => new Promise((done) => process.stdout.write(`${line}\n`, done));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ready = async () => {
  await say('ready');
  await lines.next();
};
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  let result;
  try {
    result = await load(JSON.parse(line.value), ready);
  } catch (error) {
    result = { status: 'failed', error: String(error?.message ?? error).split('\n')[0] };
  }
  await say(JSON.stringify({ format: 1, ...result }));
}
process.exit(0);
