// npm run build: puts the sources and a JavaScript engine into the component {{name}}.wasm.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const { component } = await componentize({
  sourcePath: here('src/effect.js'),
  witPath: here('wit'),
  worldName: 'plugin',
  // An effect sees nothing of the outside, so nothing of it is imported: a host refuses what it does not grant.
  disableFeatures: ['stdio', 'random', 'clocks', 'http', 'fetch-event'],
});
await writeFile(here('{{name}}.wasm'), component);
console.log(`{{name}}.wasm: ${(component.length / 2 ** 20).toFixed(1)} MiB`);
