// What can be done with a job, whatever its kind.
import { fetchBlob, type DownloadOptions } from "./downloads.js";
import { JobCancelled, JobFailed, Problem, Unreachable } from "./errors.js";
import { events } from "./events.js";
import { listed } from "./pages.js";
import { sleep } from "./patience.js";
import type { Transport } from "./transport.js";
import type { AnyJob, JobEvent, JobStatus } from "./types.js";
import { form } from "./uploads.js";

/** The longest that the server waits before it answers that a job is not ready, in seconds, as asked of it. */
const POLL_S = 20;

export interface CreateOptions {
  /** Makes the same request happen once; a random one without it. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** Told percent and stage. */
  onProgress?: (progress: number, stage: string) => void;
  /** Ends the waiting, not the job: `AbortSignal.timeout(60_000)`. */
  signal?: AbortSignal;
  /** Whether a job that did not succeed is thrown, as `JobFailed` or `JobCancelled`; true without it. */
  check?: boolean;
}

/** The jobs of one kind. */
export class Jobs<Job extends AnyJob, Request extends object> {
  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly isForm = true,
  ) {}

  /** Makes a job, which is in the queue when this is done: `wait` for it. Large files are uploaded before, in pieces. */
  async create(request: Request, { idempotencyKey, signal }: CreateOptions = {}): Promise<Job> {
    const body = this.isForm ? await form(this.transport, request, signal) : request;
    return this.transport.json(this.path, { method: "POST", body, idempotencyKey, signal });
  }

  /** The record of a job, with links that are fresh. `wait`: seconds, at most 60, for which the answer may wait for its end. */
  async get(job: Job | number, { wait = 0, signal }: { wait?: number; signal?: AbortSignal } = {}): Promise<Job> {
    return this.transport.json(this.at(job), { headers: wait >= 1 ? { Prefer: `wait=${Math.floor(wait)}` } : {}, signal });
  }

  /** Your jobs, the newest first. Pages are fetched as they are needed. */
  list(filter: { status?: JobStatus; order?: "asc" | "desc" } = {}): AsyncGenerator<Job> {
    return listed(this.transport, this.path, { order: "desc", ...filter });
  }

  /** Stops a job. */
  async cancel(job: Job | number): Promise<Job> {
    return this.transport.json(`${this.at(job)}/cancel`, { method: "POST" });
  }

  /** A new job like one that has ended. */
  async retry(job: Job | number): Promise<Job> {
    return this.transport.json(`${this.at(job)}/retry`, { method: "POST" });
  }

  /** Forgets a job that has ended, and its files. */
  async delete(job: Job | number): Promise<void> {
    await this.transport.ask(this.at(job), { method: "DELETE" });
  }

  /** What has happened to a job after the event with the id `after`, and what happens, until it has ended. */
  events(job: Job | number, { after, signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<JobEvent> {
    return events(this.transport, this.at(job), after, signal);
  }

  /** The record of a job once it has ended. Follows its events, and asks again and again where those do not come through. */
  async wait(job: Job | number, { onProgress, signal, check = true }: WaitOptions = {}): Promise<Job> {
    const asked = signal === undefined ? {} : { signal };
    let found = await this.get(job, asked);
    let follows = true;
    while (found.status === "running") {
      try {
        if (follows) for await (const { data } of this.events(job, asked)) if (data.progress !== undefined) onProgress?.(data.progress, data.stage ?? "");
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        follows = false;
      }
      found = await this.get(job, { ...asked, wait: follows ? 0 : POLL_S });
      onProgress?.(found.progress, found.stage);
      // A server that is busy may answer at once.
      if (!follows && found.status === "running") await sleep(1, signal);
    }
    if (check && found.status === "error") throw new JobFailed(found);
    if (check && found.status === "cancelled") throw new JobCancelled(found);
    return found;
  }

  /** All files of a result as one ZIP. */
  async archive(job: Job | number, options: DownloadOptions = {}): Promise<Blob> {
    const found = await this.get(job);
    if (!("archiveUrl" in found) || found.archiveUrl === null) throw new TypeError(`Job ${found.id} has no files: it is ${found.status}.`);
    return fetchBlob(this.transport, found.archiveUrl, options);
  }

  private at(job: Job | number): string {
    return `${this.path}/${typeof job === "number" ? job : job.id}`;
  }
}
