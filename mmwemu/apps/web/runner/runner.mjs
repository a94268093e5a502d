// Loads pages, one for each line of standard input, and prints what was measured as docs/formats/web-result.md describes.
// In: JSON requests, one a line. Out: JSON documents, one a line; nothing else goes there. It ends with its input.
import { createInterface } from 'node:readline';
import { load } from './load.mjs';

// Answers that an ended browser still owes; what mattered of them has failed already.
process.on('unhandledRejection', () => {});

for await (const line of createInterface({ input: process.stdin })) {
  let result;
  try {
    result = await load(JSON.parse(line));
  } catch (error) {
    result = { status: 'failed', error: String(error?.message ?? error).split('\n')[0] };
  }
  await new Promise((done) => process.stdout.write(JSON.stringify({ format: 1, ...result }) + '\n', done));
}
process.exit(0);
