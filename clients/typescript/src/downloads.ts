// Files that come as a stream and go on where a connection broke.
import { Problem, Unreachable } from "./errors.js";
import { pauseAfter, sleep } from "./patience.js";
import { broken, type Transport } from "./transport.js";

/** Where bytes go. */
export interface Sink {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Forgets everything that was written. */
  restart(): void | Promise<void>;
}

export interface DownloadOptions {
  /** Told how many bytes have come, and of how many when that is known. */
  onProgress?: (received: number, total: number | undefined) => void;
  signal?: AbortSignal;
}

/** Fetches a link into a sink. */
export async function fetchInto(transport: Transport, url: string, sink: Sink, { onProgress, signal }: DownloadOptions): Promise<void> {
  let etag: string | null = null;
  let done = 0;
  for (let tries = 1; ; tries += 1) {
    const headers: Record<string, string> = done > 0 && etag !== null ? { Range: `bytes=${done}-`, "If-Range": etag } : {};
    try {
      const response = await transport.once(url, { headers, signal });
      if (response.status !== 206 && done > 0) {
        // The file is another one by now, or is only known by its beginning.
        await sink.restart();
        done = 0;
      }
      etag = response.headers.get("etag");
      const length = response.headers.get("content-length");
      const total = length === null || response.headers.has("content-encoding") ? undefined : done + Number(length);
      for await (const chunk of pieces(response, signal)) {
        await sink.write(chunk);
        done += chunk.length;
        tries = 0;
        onProgress?.(done, total);
      }
      if (total === undefined || done >= total) return;
      throw new Unreachable(`The file broke off after ${done} of ${total} bytes.`);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      await sleep(pauseAfter(transport.patience, error, Math.max(tries, 1)), signal);
    }
  }
}

/** Fetches a link into memory. */
export async function fetchBlob(transport: Transport, url: string, options: DownloadOptions): Promise<Blob> {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  const sink: Sink = {
    write: (chunk) => void chunks.push(new Uint8Array(chunk)),
    restart: () => void (chunks = []),
  };
  await fetchInto(transport, url, sink, options);
  return new Blob(chunks);
}

/** The pieces of a body as they come; a stream that breaks is `Unreachable`. */
export async function* pieces(response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let isWhole = false;
  try {
    for (;;) {
      let read;
      try {
        read = await reader.read();
      } catch (error) {
        throw broken(error, signal);
      }
      if (read.done) {
        isWhole = true;
        return;
      }
      yield read.value;
    }
  } finally {
    // Whoever has heard enough lets go of the connection.
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}
