// Plays one film and prints what was measured, as docs/formats/stream-result.md describes.
// In: one JSON request on standard input. Out: one JSON document on standard output; nothing else goes there.
import { readFileSync } from 'node:fs';
import { play } from './play.mjs';

const request = JSON.parse(readFileSync(0, 'utf8'));
let result;
try {
  result = await play(request);
} catch (error) {
  result = { status: 'failed', error: String(error?.message ?? error).split('\n')[0] };
}
process.stdout.write(JSON.stringify({ format: 1, ...result }) + '\n', () => process.exit(0));
