// Writes the types of the API's description, as openapi-typescript makes them, but with files as what `fetch` sends, and without
// asking for what has a default. Arguments: the description, where the types go.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [description, types] = process.argv.slice(2);
const blob = ts.factory.createTypeReferenceNode("Blob");
const ast = await openapiTS(await readFile(description, "utf8"), {
  defaultNonNullable: false,
  transform: (schema) => (schema.format === "binary" ? blob : undefined),
});
await writeFile(types, astToString(ast));
