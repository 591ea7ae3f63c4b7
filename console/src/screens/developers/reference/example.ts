// The request of an operation as an example: its path filled in, its fields with values.
import type { CodeField } from "../../../ui/CodeSame";
import type { Body, OpenApi, Operation, Schema } from "./document";
import { sample, whole } from "./schema";

export interface Example {
  path: string;
  fields?: CodeField[] | Record<string, unknown>;
  /** A body that is one file. */
  file?: { name: string; type: string };
  /** What the request must have in its head. */
  headers: Record<string, string>;
}

/** The server's own root, without a slash at the end: where the page lies. */
export function serverRoot(): string {
  return new URL(".", document.baseURI).href.replace(/\/$/, "");
}

/** The path with its variables, and what the query must have. */
function filled(document: OpenApi, { path, parameters }: Operation): string {
  const value = (name: string, schema: Schema | undefined) => {
    const given = sample(document, schema ?? {}, false);
    return encodeURIComponent(given === "text" || given === null ? name.toUpperCase() : String(given));
  };
  const variables = path.replace(/\{(\w+)\}/g, (_, name: string) => value(name, parameters.find((one) => one.in === "path" && one.name === name)?.schema));
  const asked = parameters.filter((one) => one.in === "query" && one.required === true).map((one) => `${one.name}=${value(one.name, one.schema)}`);
  return asked.length === 0 ? variables : `${variables}?${asked.join("&")}`;
}

function isFile(schema: Schema): boolean {
  return schema.format === "binary" || (schema.anyOf ?? schema.oneOf ?? []).some(isFile);
}

/** A form's fields: those that must be there, or the first ones. */
function form(document: OpenApi, schema: Schema): CodeField[] {
  const properties = Object.entries(whole(document, schema).properties ?? {});
  const needed = properties.filter(([name]) => whole(document, schema).required?.includes(name));
  return (needed.length > 0 ? needed : properties.slice(0, 2)).map(([name, one]) => {
    if (isFile(whole(document, one))) return { name, file: /image|portrait/i.test(name) ? "picture.png" : /sound|input|audio|demo/i.test(name) ? "recording.wav" : "file" };
    const value = sample(document, one, false);
    return { name, value: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** How an operation is asked for. */
export function example(document: OpenApi, operation: Operation): Example {
  const path = filled(document, operation);
  const needed = operation.parameters.filter((one) => one.in === "header" && one.required === true);
  const headers = Object.fromEntries(needed.map((one) => [one.name, String(sample(document, one.schema ?? {}, false))]));
  const pick = (wanted: (body: Body) => boolean) => operation.bodies.find(wanted);
  const json = pick((one) => one.type === "application/json");
  if (json !== undefined) return { path, headers, fields: sample(document, json.schema, false) as Record<string, unknown> };
  const parts = pick((one) => one.type === "multipart/form-data");
  if (parts !== undefined) return { path, headers, fields: form(document, parts.schema) };
  const file = operation.bodies[0];
  return file === undefined ? { path, headers } : { path, headers, file: { name: "file", type: file.type } };
}
