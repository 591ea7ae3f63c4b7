// Writes the types of the API's description as openapi-typescript makes them, but with files as what `fetch` sends, and without asking
// for what has a default. Arguments: the description (an address or a file), where the types go (src/schema.ts). With `--check` nothing
// is written, and the status is 1 when something would change.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const asked = process.argv.slice(2);
const [description, types = new URL("src/schema.ts", import.meta.url)] = asked.filter((one) => one !== "--check");
const blob = ts.factory.createTypeReferenceNode("Blob");
const source = /^https?:/.test(description) ? await (await fetch(description)).text() : await readFile(description, "utf8");
const ast = await openapiTS(source, {
  defaultNonNullable: false,
  transform: (schema) => (schema.format === "binary" ? blob : undefined),
});
const text = astToString(ast);
if (!asked.includes("--check")) await writeFile(types, text);
else if ((await readFile(types, "utf8")) !== text) {
  console.error(`${types} is behind: run this program without --check`);
  process.exitCode = 1;
}
