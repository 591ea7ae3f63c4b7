// Asking a server for a live conversion, and opening its stream.
import { LiveSession, type SessionOptions } from "./session.js";
import type { LiveRecord, LiveRequest, Mistake } from "./messages.js";

type Rest = Pick<SessionOptions, "frameMs" | "mostWaitingMs" | "WebSocket">;

/** A conversion that is to be made: with a key, which belongs on your own server or into your own hands, not into a page for others. */
export interface Asked extends LiveRequest, Rest {
  /** Where the server is, such as `http://127.0.0.1:8080`. */
  server: string;
  key: string;
  /** Where the API lies on it; `/api/v1` without it. */
  root?: string;
  signal?: AbortSignal;
}

/** A conversion that was made already, such as by your own server, which gives a page `streamUrl` and `ticket` of the record. */
export interface Made extends SessionOptions {
  server?: undefined;
}

/** The server refused to make a conversion (RFC 9457). The message says for people what happened. */
export class LiveProblem extends Error {
  override name = "LiveProblem";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Every field that is wrong. */
    readonly errors: Mistake[],
    /** Seconds after which it may be tried again, where the server says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** Has a live conversion made. The record's `streamUrl` and `ticket` open its stream, once and within 30 seconds. */
export async function create({ server, key, root = "/api/v1", signal, ...request }: Omit<Asked, keyof Rest>): Promise<LiveRecord> {
  const answer = await fetch(`${server.replace(/\/$/, "")}${root}/live-conversions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(request),
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.ok) return (await answer.json()) as LiveRecord;
  const body = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string; errors?: Mistake[] };
  const pause = Number(answer.headers.get("retry-after") ?? "none");
  throw new LiveProblem(
    answer.status,
    body.code ?? `E_HTTP_${answer.status}`,
    body.detail ?? `The answer was ${answer.status}.`,
    body.errors ?? [],
    Number.isFinite(pause) ? pause : undefined,
  );
}

/**
 * Opens a live conversion: one that is to be made (`server`, `key`, and what it is to be), or one that was made (`streamUrl`, `ticket`,
 * `sampleRate`). Wait for the session's `ready` before sound is sent.
 */
export async function connect(options: Asked | Made): Promise<LiveSession> {
  if (options.server === undefined) return new LiveSession(options);
  const { frameMs, mostWaitingMs, WebSocket, ...request } = options;
  const record = await create(request);
  return new LiveSession({
    streamUrl: record.streamUrl ?? "",
    ticket: record.ticket ?? "",
    sampleRate: record.sampleRate,
    sampleFormat: record.sampleFormat,
    ...(frameMs === undefined ? {} : { frameMs }),
    ...(mostWaitingMs === undefined ? {} : { mostWaitingMs }),
    ...(WebSocket === undefined ? {} : { WebSocket }),
  });
}
