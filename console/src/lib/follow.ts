// Follows a job until it has ended: server-sent events read by `fetch`, since an `EventSource` says nothing about its errors, and
// polling where a proxy breaks streams.
import { address, ask, get, Problem } from "./api";
import type { AnyJob, JobKind } from "./types";

const POLL = 1500;

/** Whether a job of this status goes on no more. */
export function ended(status: string): boolean {
  return status !== "running";
}

/**
 * Calls `onRecord` with the record of a job now and whenever it changes, until it has ended.
 * Returns what stops following. `onProblem` is told when the record cannot be read.
 */
export function follow<T extends AnyJob>(
  kind: JobKind,
  id: number | string,
  onRecord: (record: T) => void,
  onProblem: (problem: unknown) => void = () => {},
): () => void {
  const stop = new AbortController();
  const path = `/${kind}/${id}`;

  const read = async (): Promise<T> => {
    const record = await get<T>(path, { signal: stop.signal });
    if (!stop.signal.aborted) onRecord(record);
    return record;
  };

  const run = async () => {
    let record = await read();
    let last = "";
    while (!ended(record.status) && !stop.signal.aborted) {
      try {
        const headers: Record<string, string> = { Accept: "text/event-stream" };
        if (last !== "") headers["Last-Event-ID"] = last;
        const response = await ask(address(`${path}/events`), { headers, signal: stop.signal });
        if (response.ok && response.body !== null && response.status !== 204) {
          // The record is read again at most twice a second: of many events in a row the last one counts.
          let stale = true;
          let reading = false;
          const refresh = async () => {
            if (reading) return;
            reading = true;
            try {
              while (stale && !stop.signal.aborted) {
                stale = false;
                record = await read();
                await pause(500, stop.signal);
              }
            } finally {
              reading = false;
            }
          };
          for await (const event of events(response.body)) {
            if (event.id !== "") last = event.id;
            const data = event.data as Partial<AnyJob>;
            if (typeof data.progress === "number" && !ended(data.status ?? "running")) {
              record = { ...record, stage: data.stage, progress: data.progress };
              onRecord(record);
            }
            stale = true;
            void refresh().catch(() => undefined);
          }
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error instanceof Problem && error.status === 401) throw error;
      }
      record = await read();
      if (!ended(record.status)) await pause(POLL, stop.signal);
    }
  };

  run().catch((error: unknown) => {
    if (!stop.signal.aborted) onProblem(error);
  });
  return () => stop.abort();
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The events of a stream of `text/event-stream`. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; event: string; data: unknown }> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = { id: "", event: "message", data: undefined as unknown };
      let data = "";
      for (const line of rest.slice(0, end).split("\n")) {
        const [, name, text] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === "id") event.id = text;
        else if (name === "event") event.event = text;
        else if (name === "data") data += text;
      }
      rest = rest.slice(end + 2);
      if (data !== "") yield { ...event, data: JSON.parse(data) };
    }
  }
}
