// Server-sent events, and how a job is followed by them.
import { Problem, Unreachable } from "./errors.js";
import { pieces } from "./downloads.js";
import { pauseAfter, sleep } from "./patience.js";
import type { Transport } from "./transport.js";
import type { JobEvent } from "./types.js";

/** Something comes at least every 15 seconds; a connection that says nothing for longer is dead. */
const SILENCE_MS = 60_000;

/** Cuts a stream of text into events. */
export class EventReader {
  private rest = "";

  /** The events that are whole with this piece of text. Comments and events without data are none. */
  *feed(text: string): Generator<JobEvent> {
    const blocks = (this.rest + text).replaceAll("\r\n", "\n").split("\n\n");
    this.rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields: Record<string, string> = {};
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
        fields[name] = name === "data" && fields["data"] !== undefined ? `${fields["data"]}\n${value}` : value;
      }
      if (fields["data"] === undefined) continue;
      yield { id: fields["id"] ?? "", event: (fields["event"] ?? "progress") as JobEvent["event"], data: JSON.parse(fields["data"]) };
    }
  }
}

/** What happens to the job at `path`, until it has ended. Comes back by itself when the connection breaks. */
export async function* events(transport: Transport, path: string, after?: string, signal?: AbortSignal): AsyncGenerator<JobEvent> {
  for (let tries = 1; ; tries += 1) {
    const watch = watched(signal);
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream", ...(after ? { "Last-Event-ID": after } : {}) };
      const response = await transport.once(`${path}/events`, { headers, signal: watch.signal });
      if (response.status === 204) return;
      if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
        throw new Problem(response.status, { detail: "What came are no events." });
      }
      const reader = new EventReader();
      const decoder = new TextDecoder();
      for await (const chunk of pieces(response, watch.signal)) {
        watch.heard();
        for (const event of reader.feed(decoder.decode(chunk, { stream: true }))) {
          after = event.id || after;
          tries = 0;
          yield event;
          if (event.event === "ended") return;
        }
      }
      throw new Unreachable("The events broke off.");
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      await sleep(pauseAfter(transport.patience, error, Math.max(tries, 1)), signal);
    } finally {
      watch.end();
    }
  }
}

/** A signal that is given with another one, or when nothing is heard for too long. */
function watched(outer?: AbortSignal): { signal: AbortSignal; heard: () => void; end: () => void } {
  const controller = new AbortController();
  const stop = () => controller.abort(outer?.reason);
  let timer: ReturnType<typeof setTimeout>;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(new Unreachable("Nothing was heard for a minute.")), SILENCE_MS);
  };
  const end = () => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  };
  heard();
  if (outer?.aborted) stop();
  else outer?.addEventListener("abort", stop, { once: true });
  return { signal: controller.signal, heard, end };
}
