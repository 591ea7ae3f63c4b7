// The API's own description, `/openapi.json`, as the reference shows it.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Reference {
  $ref?: string;
}

type Content = Record<string, { schema?: Schema }>;

interface RawAnswer extends Reference {
  description?: string;
  headers?: Record<string, Reference & { description?: string; required?: boolean; schema?: Schema }>;
  content?: Content;
}

interface RawOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: (Parameter & Reference)[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, RawAnswer>;
}

type RawItem = Record<string, unknown> & { servers?: { url: string }[] };

export interface OpenApi {
  info: { version: string };
  servers?: { url: string }[];
  paths: Record<string, RawItem>;
  webhooks?: Record<string, RawItem>;
  components: Record<string, Record<string, unknown>>;
}

export interface Body {
  type: string;
  schema: Schema;
}

export interface Answer {
  status: string;
  description: string;
  bodies: Body[];
  headers: { name: string; description?: string }[];
}

export interface Operation {
  id: string;
  method: (typeof METHODS)[number];
  /** The path under the root, or the name of the event that the server sends. */
  path: string;
  /** Under the API's root, at the server's own root, or at the address of a webhook, to which the server sends. */
  place: "api" | "server" | "receiver";
  tag: string;
  summary: string;
  description: string;
  /** Whether a key has to be shown. */
  keyed: boolean;
  parameters: Parameter[];
  bodyRequired: boolean;
  bodies: Body[];
  answers: Answer[];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What a reference such as `#/components/schemas/Webhook` points at. */
export function lookUp<T>(document: OpenApi, reference: string): T | undefined {
  let found: unknown = document;
  for (const part of reference.replace(/^#\//, "").split("/")) found = (found as Record<string, unknown> | undefined)?.[part];
  return found as T | undefined;
}

function resolved<T extends Reference>(document: OpenApi, given: T): T {
  return given.$ref === undefined ? given : (lookUp<T>(document, given.$ref) ?? given);
}

function bodies(content: Content | undefined): Body[] {
  return Object.entries(content ?? {}).map(([type, { schema }]) => ({ type, schema: schema ?? {} }));
}

/** Every operation of the document, those of webhooks at the end. */
export function operations(document: OpenApi): Operation[] {
  const roots = new Set((document.servers ?? []).map((one) => one.url));
  const found: Operation[] = [];
  const add = (path: string, item: RawItem, place: Operation["place"]) => {
    for (const method of METHODS) {
      const raw = item[method.toLowerCase()] as RawOperation | undefined;
      if (raw === undefined) continue;
      found.push({
        id: raw.operationId,
        method,
        path,
        place,
        tag: raw.tags?.[0] ?? "",
        summary: raw.summary ?? "",
        description: raw.description ?? "",
        keyed: raw.security === undefined,
        parameters: (raw.parameters ?? []).map((one) => resolved(document, one)),
        bodyRequired: raw.requestBody?.required ?? false,
        bodies: bodies(raw.requestBody?.content),
        answers: Object.entries(raw.responses).map(([status, given]) => {
          const { description = "", headers = {}, content } = resolved(document, given);
          const named = Object.entries(headers).map(([name, header]) => ({ name, description: resolved(document, header).description }));
          return { status, description, bodies: bodies(content), headers: named };
        }),
      });
    }
  };
  for (const [path, item] of Object.entries(document.paths)) {
    const elsewhere = item.servers !== undefined && !item.servers.some((one) => roots.has(one.url));
    add(path, item, elsewhere ? "server" : "api");
  }
  for (const [event, item] of Object.entries(document.webhooks ?? {})) add(event, item, "receiver");
  return found;
}

/** Operations by their tags, in the order of the tags' names. */
export function grouped(list: Operation[]): [string, Operation[]][] {
  const groups = new Map<string, Operation[]>();
  for (const one of list) groups.set(one.tag, [...(groups.get(one.tag) ?? []), one]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

/** Whether an operation has all of the words somewhere. */
export function matches(operation: Operation, words: string[]): boolean {
  const { id, method, path, tag, summary, description, parameters } = operation;
  const text = [id, method, path, tag, summary, description, ...parameters.map((one) => one.name)].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
