// Requests to the server that the page came from. The session's cookie goes along by itself.
import type { Config, FieldError } from "./types";

/** What the server refused, or why it could not be asked. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly requestId: string,
    readonly errors: (Pick<FieldError, "field" | "message"> & Partial<FieldError>)[] = [],
  ) {
    super(detail);
    this.name = "Problem";
  }

  /** What is wrong with a field, if something is. */
  field(name: string): string | undefined {
    return this.errors.find((error) => error.field === name || error.field.startsWith(`${name}.`) || error.field.startsWith(`${name}[`))
      ?.message;
  }
}

let configuration: Config | undefined;
const lost = new Set<() => void>();

/** Has `listener` called when the server says that there is no session any more. */
export function onSignedOut(listener: () => void): void {
  lost.add(listener);
}

/** What the server says about the page. Read once. */
export async function config(): Promise<Config> {
  configuration ??= (await answer(await ask("console/config.json", {}))) as Config;
  return configuration;
}

/** The address of a path under the API's root, such as `/effects`. */
export function address(path: string): string {
  const root = (configuration?.apiRoot ?? "api/v1").replace(/\/$/, "");
  return new URL(root + path, document.baseURI).href;
}

/** A link of a record, on the page's own origin: behind a proxy the server may know itself under another address. */
export function here(url: string): string {
  const root = `/${(configuration?.apiRoot ?? "api/v1").replace(/^\/|\/$/g, "")}/`;
  const from = url.indexOf(root);
  return from < 0 ? url : address(url.slice(from + root.length - 1));
}

/** `fetch` of an address relative to the page, with what the console's requests carry. */
export async function ask(relative: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const method = init.method ?? "GET";
  if (method !== "GET" && method !== "HEAD") headers.set("X-Vocalhost-Console", "1");
  try {
    return await fetch(new URL(relative, document.baseURI), { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "E_UNREACHABLE", "Not reachable", "The server cannot be reached. Is it running, and is this machine connected?", "");
  }
}

/** The JSON of an answer, or the problem that it is. */
export async function answer(response: Response): Promise<unknown> {
  if (response.ok) {
    if (response.status === 204) return undefined;
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }
  const id = response.headers.get("x-request-id") ?? "";
  let body: Partial<Problem> & { errors?: FieldError[] } = {};
  try {
    body = JSON.parse(await response.text());
  } catch {
    // Something between us and the server answered: there is only the status.
  }
  const problem = new Problem(
    response.status,
    body.code ?? `E_HTTP_${response.status}`,
    body.title ?? response.statusText,
    body.detail ?? `The answer was ${response.status} ${response.statusText}.`,
    body.requestId ?? id,
    body.errors ?? [],
  );
  if (response.status === 401) for (const listener of lost) listener();
  throw problem;
}

/** Reads a path of the API. `wait`: seconds for which a job's record may wait for its end. */
export async function get<T>(path: string, options: { signal?: AbortSignal; wait?: number } = {}): Promise<T> {
  const headers: Record<string, string> = options.wait === undefined ? {} : { Prefer: `wait=${options.wait}` };
  return (await answer(await ask(address(path), { headers, signal: options.signal }))) as T;
}

/** Reads the bytes of a path of the API. */
export async function getBytes(path: string): Promise<ArrayBuffer> {
  const response = await ask(address(path), {});
  if (!response.ok) await answer(response);
  return response.arrayBuffer();
}

/** Sends to a path of the API: a form, or an object as JSON. */
export async function send<T>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: FormData | object,
  options: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<T> {
  const headers = { ...options.headers };
  let content: BodyInit | undefined;
  if (body instanceof FormData) content = body;
  else if (body !== undefined) {
    content = JSON.stringify(body);
    headers["Content-Type"] ??= "application/json";
  }
  return (await answer(await ask(address(path), { method, headers, body: content, signal: options.signal }))) as T;
}

/** Every record of a list, page by page, at most `most`. */
export async function all<T>(path: string, most = 1000, signal?: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  const joint = path.includes("?") ? "&" : "?";
  for (let page = 1; found.length < most; page += 1) {
    const { data, meta } = await get<{ data: T[]; meta: { lastPage: number } }>(`${path}${joint}page=${page}&perPage=100`, { signal });
    found.push(...data);
    if (page >= meta.lastPage) break;
  }
  return found;
}

/** Any error as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, "E_PAGE", "Something went wrong in this page", String(error), "");
}
