// Driver that loads a page for each request on standard input; docs/formats/web-result.md describes its output.
// Input: a line with a JSON request. When the browser is ready to navigate, the driver prints the line `ready`, and the
// next line of input starts the navigation. Output: a line with a JSON document. The driver ends with its input.
import { createInterface } from 'node:readline';
import { load } from './load.mjs';

// Pending answers of an ended browser reject; those that matter have failed already.
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
