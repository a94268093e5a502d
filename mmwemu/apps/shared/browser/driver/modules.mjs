// Loader of the modules in package.json, which are in a folder of the user, not beside these files.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function loadModule(folder, name) {
  const found = createRequire(join(folder, 'package.json')).resolve(name);
  const module = await import(pathToFileURL(found));
  return module.default ?? module;
}
