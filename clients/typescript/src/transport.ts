// Requests, sent again when that may help.
import { Problem, Unreachable } from "./errors.js";
import { pauseAfter, sleep, type Patience } from "./patience.js";

/** What a request has beside its path. */
export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: FormData | Blob | object | undefined;
  signal?: AbortSignal | undefined;
  /** Makes the same request happen once; a random one without it. */
  idempotencyKey?: string | undefined;
}

/** A connection to one server with one key. */
export class Transport {
  /** Where the API's paths begin. */
  readonly root: string;

  constructor(
    url: string,
    private readonly key: string | undefined,
    readonly patience: Patience,
    private readonly send: typeof fetch,
  ) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
      throw new TypeError(`url: ${JSON.stringify(url)} is no address of a server, such as http://127.0.0.1:8080`);
    }
    this.root = url.replace(/\/+$/, "") + (parsed.pathname === "/" ? "/api/v1" : "");
  }

  /** The JSON of an answer; `undefined` when it is empty. */
  async json<T>(path: string, asked: Asked = {}): Promise<T> {
    const text = await (await this.ask(path, asked)).text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** An answer of success; others are thrown. A `POST` has a key, so that it is done once however often it is sent. */
  async ask(path: string, asked: Asked = {}): Promise<Response> {
    const headers = { ...asked.headers };
    if (asked.method === "POST") headers["Idempotency-Key"] = asked.idempotencyKey ?? randomKey();
    return this.persist(() => this.once(path, { ...asked, headers }), asked.signal);
  }

  /** The same without a second try. A full address, such as a link to a file, gets no key. */
  async once(path: string, asked: Asked): Promise<Response> {
    const isOwn = path.startsWith("/");
    const init: RequestInit = { method: asked.method ?? "GET", headers: { ...asked.headers, ...(isOwn ? this.authorization() : {}) } };
    if (asked.signal) init.signal = asked.signal;
    if (asked.body instanceof FormData || asked.body instanceof Blob) init.body = asked.body;
    else if (asked.body !== undefined) {
      init.body = JSON.stringify(asked.body);
      init.headers = { ...init.headers, "Content-Type": "application/json" };
    }
    return this.checked(() => this.send(isOwn ? this.root + path : path, init), asked.signal);
  }

  /** `fetch` for whoever makes requests by themselves: with the key, and sent again when that may help. */
  readonly fetch = async (request: Request): Promise<Response> => {
    for (const [name, value] of Object.entries(this.authorization())) request.headers.set(name, value);
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", randomKey());
    return this.persist(() => this.checked(() => this.send(request.clone()), request.signal), request.signal);
  };

  private async persist<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        await sleep(pauseAfter(this.patience, error, tries), signal);
      }
    }
  }

  private async checked(work: () => Promise<Response>, signal?: AbortSignal): Promise<Response> {
    let response;
    try {
      response = await work();
    } catch (error) {
      throw broken(error, signal);
    }
    if (response.ok) return response;
    throw await Problem.of(response);
  }

  private authorization(): Record<string, string> {
    return this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` };
  }
}

/** What `fetch` or a stream of it has thrown: whoever stopped it gets their reason back, everything else is a broken line. */
export function broken(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof Problem || error instanceof Unreachable) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new Unreachable(`The server cannot be reached, or the connection broke: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause: error,
  });
}

function randomKey(): string {
  // `randomUUID` is missing in pages that did not come over https.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
