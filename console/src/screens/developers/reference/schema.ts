// Schemas in words, taken apart, and filled in as examples.
import { lookUp, type OpenApi, type Schema } from "./document";

/** How deep examples go: records name each other. */
const DEPTH = 5;

/** Texts that say more than "text" would, by the names of their fields. */
const TEXTS: Record<string, string> = { user: "anna", name: "my-name", title: "My title", label: "laptop", effect: "reverb", key: "12345678.…" };

/** A schema with its references followed and its parts joined. */
export function whole(document: OpenApi, schema: Schema): Schema {
  let found = schema;
  for (let step = 0; found.$ref !== undefined && step < 8; step += 1) {
    const { $ref, ...beside } = found;
    found = { ...(lookUp<Schema>(document, $ref) ?? {}), ...beside };
  }
  if (found.allOf === undefined) return found;
  const { allOf, ...rest } = found;
  return allOf.map((one) => whole(document, one)).reduce(
    (joint, one) => ({
      ...one,
      ...joint,
      properties: { ...joint.properties, ...merged(joint.properties, one.properties) },
      required: [...(joint.required ?? []), ...(one.required ?? [])],
    }),
    rest,
  );
}

/** The fields of `more`, each with what `before` already says of it. */
function merged(before: Schema["properties"] = {}, more: Schema["properties"] = {}): Record<string, Schema> {
  return Object.fromEntries(Object.entries(more).map(([name, schema]) => [name, { ...before[name], ...schema }]));
}

function isNull(schema: Schema): boolean {
  return schema.type === "null" || schema.const === null;
}

function types(schema: Schema): string[] {
  return schema.type === undefined ? [] : [schema.type].flat();
}

/** The type of a schema as TypeScript would write it, with the names that the document gives. */
export function typeOf(document: OpenApi, schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map((one) => typeOf(document, one)))].join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.length === 1 ? typeOf(document, schema.allOf[0]) : "object";
  if (schema.type === undefined && schema.enum !== undefined) return [...new Set(schema.enum.map((one) => (one === null ? "null" : typeof one)))].join(" | ");
  const names = types(schema).map((type) => {
    if (type === "array") {
      const inner = typeOf(document, schema.items ?? {});
      return inner.includes(" | ") ? `(${inner})[]` : `${inner}[]`;
    }
    if (type === "object" && typeof schema.additionalProperties === "object" && schema.properties === undefined) {
      return `{ [name]: ${typeOf(document, schema.additionalProperties)} }`;
    }
    return type === "string" && schema.format === "binary" ? "file" : type;
  });
  return names.length === 0 ? "any" : names.join(" | ");
}

/** What a value has to keep to, as code: choices, ranges, lengths, forms, and what holds without it. */
export function limits(schema: Schema): { choices: string[]; rules: string[] } {
  const inner = schema.items !== undefined && schema.enum === undefined ? schema.items : schema;
  const choices = (inner.enum ?? []).filter((one) => one !== null).map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  const rules: string[] = [];
  const range = (what: string, low: unknown, high: unknown) => {
    if (low !== undefined && high !== undefined) rules.push(`${low} ≤ ${what} ≤ ${high}`);
    else if (low !== undefined) rules.push(`${what} ≥ ${low}`);
    else if (high !== undefined) rules.push(`${what} ≤ ${high}`);
  };
  range("x", schema.minimum, schema.maximum);
  if (schema.exclusiveMinimum !== undefined) rules.push(`x > ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) rules.push(`x < ${schema.exclusiveMaximum}`);
  range("length", schema.minLength, schema.maxLength);
  range("items", schema.minItems, schema.maxItems);
  if (schema.format !== undefined && schema.format !== "binary" && schema.format !== "int64") rules.push(schema.format);
  if (schema.pattern !== undefined && schema.examples === undefined) rules.push(`/${schema.pattern}/`);
  if (schema.examples !== undefined) rules.push(`e.g. ${String(schema.examples[0])}`);
  return { choices, rules };
}

/** The objects inside a schema, each with the name of its type: what a list has, what a map has, what is one of several. */
export function insides(document: OpenApi, schema: Schema): { name: string; schema: Schema }[] {
  const found = whole(document, schema);
  const either = found.anyOf ?? found.oneOf;
  if (either !== undefined) return either.filter((one) => !isNull(one)).flatMap((one) => insides(document, one));
  if (found.properties !== undefined && Object.keys(found.properties).length > 0) return [{ name: typeOf(document, schema), schema: found }];
  if (found.items !== undefined) return insides(document, found.items);
  if (typeof found.additionalProperties === "object") return insides(document, found.additionalProperties);
  return [];
}

/** An example of a value. Of an object's fields those that must be there; all of them with `full`. */
export function sample(document: OpenApi, schema: Schema, full: boolean, depth = 0): unknown {
  const found = whole(document, schema);
  if (found.const !== undefined) return found.const;
  if (found.examples !== undefined) return found.examples[0];
  if (found.default !== undefined && found.default !== null) return found.default;
  const either = (found.anyOf ?? found.oneOf)?.filter((one) => !isNull(one));
  if (either !== undefined && either.length > 0) return sample(document, either[0], full, depth);
  if (found.enum !== undefined) return found.enum[0];
  switch (types(found)[0]) {
    case "object":
      return ofObject(document, found, full, depth);
    case "array":
      return depth >= DEPTH || (!full && (found.minItems ?? 0) === 0 && depth > 1) ? [] : [sample(document, found.items ?? {}, full, depth + 1)];
    case "string":
      return ofText(found);
    case "integer":
    case "number":
      return found.minimum ?? 0;
    case "boolean":
      return true;
    default:
      return null;
  }
}

function ofObject(document: OpenApi, schema: Schema, full: boolean, depth: number): Record<string, unknown> {
  if (depth >= DEPTH) return {};
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0 && typeof schema.additionalProperties === "object") {
    return full ? { name: sample(document, schema.additionalProperties, full, depth + 1) } : {};
  }
  const needed = properties.filter(([name]) => full || schema.required?.includes(name));
  // Where nothing has to be there, the first fields show what could.
  const shown = needed.length > 0 ? needed : properties.slice(0, 3);
  return Object.fromEntries(shown.map(([name, one]) => [name, named(name, sample(document, one, full, depth + 1))]));
}

function named(field: string, value: unknown): unknown {
  return value === "text" ? (TEXTS[field] ?? value) : value;
}

function ofText(schema: Schema): string {
  if (schema.format === "uri") return "https://example.org/";
  if (schema.pattern === "^[0-9a-f]{64}$") return "0".repeat(64);
  return "text";
}
