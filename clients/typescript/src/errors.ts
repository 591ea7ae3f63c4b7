// What can go wrong. Everything that this library throws by itself is a `VocalhostError`.
import type { AnyJob } from "./types.js";

/** Answers after which the same request may well be done. */
const PASSING = new Set([429, 502, 503, 504]);

/** The base of all others. */
export class VocalhostError extends Error {
  /** Whether the same request may succeed a little later. */
  isPassing = false;
  /** Seconds for which the server asks to wait before that. */
  retryAfter: number | undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There is no connection to the server, or it broke. */
export class Unreachable extends VocalhostError {
  override isPassing = true;
}

/** What is wrong with one field of a request. */
export interface Mistake {
  /** The path of the field, such as `pitchShift` or `post[0].params.ratio`. */
  field: string;
  rule: string;
  message: string;
  args: Record<string, unknown>;
}

interface Body {
  code?: string;
  detail?: string;
  requestId?: string;
  errors?: Mistake[];
}

/** The server refused a request (RFC 9457). The message says for people what happened. */
export class Problem extends VocalhostError {
  /** What happened, for programs: `E_VALIDATION_FAILURE`, `E_TOO_MANY_REQUESTS`. */
  readonly code: string;
  /** What finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** Every field that is wrong. */
  readonly errors: Mistake[];

  constructor(
    readonly status: number,
    body: Body,
    headers: Headers = new Headers(),
  ) {
    super(body.detail ?? `The answer was ${status}.`);
    this.code = body.code ?? `E_HTTP_${status}`;
    this.requestId = body.requestId ?? headers.get("x-request-id") ?? undefined;
    this.errors = body.errors ?? [];
    this.isPassing = PASSING.has(status) || this.code === "E_IDEMPOTENCY_IN_PROGRESS";
    const pause = headers.get("retry-after");
    if (pause !== null && /^\d+$/.test(pause)) this.retryAfter = Number(pause);
  }

  /** The problem that an answer is, also when something between us and the server gave it. */
  static async of(response: Response): Promise<Problem> {
    let body: unknown;
    try {
      body = await response.json();
    } catch {
      // There is only the status.
    }
    return new Problem(response.status, typeof body === "object" && body !== null ? body : {}, response.headers);
  }

  /** What is wrong with a field, if something is. */
  field(name: string): Mistake | undefined {
    return this.errors.find((one) => one.field === name);
  }
}

/** An upload stopped and did not go on by itself. `client.upload(file, { to: broken.upload })` goes on where it stopped. */
export class UploadBroken extends VocalhostError {
  constructor(
    /** What stands for the upload: `upload:<id>`. */
    readonly upload: string,
    /** How many bytes are known to have arrived. */
    readonly offset: number,
    override readonly cause: Error,
  ) {
    super(`The upload stopped at byte ${offset}: ${cause.message}`);
  }
}

/** A job has ended in `error`. */
export class JobFailed extends VocalhostError {
  /** `job.error` says what went wrong and whether trying again may help. */
  constructor(readonly job: AnyJob) {
    super(job.error?.message ?? `Job ${job.id} failed.`);
  }
}

/** A job was cancelled. */
export class JobCancelled extends VocalhostError {
  constructor(readonly job: AnyJob) {
    super(`Job ${job.id} was cancelled.`);
  }
}

/** A request does not come from the server, or is too old. Answer it with 400 and do nothing. */
export class WebhookRefused extends VocalhostError {}
