// Uploads that go on after a broken line (tus 1.0).
import { Problem, Unreachable, UploadBroken } from "./errors.js";
import { pauseAfter, sleep } from "./patience.js";
import type { Transport } from "./transport.js";

/** Sent with one request. What arrived of a piece whose connection breaks stays. */
const PIECE_BYTES = 4 << 20;
/** A file up to this size goes with its form. */
const SMALL_BYTES = 4 << 20;
const TUS = { "Tus-Resumable": "1.0.0" };
/** Another place than where the upload stands, another piece at the same time, a checksum that is wrong: asking where it stands helps. */
const OUT_OF_STEP = new Set([409, 423, 460]);

export type Upload = `upload:${string}`;

export interface UploadOptions {
  /** An upload that was begun before (by `beginUpload`, or the `upload` of an `UploadBroken`) and goes on where it stands. */
  to?: string;
  /** Told how many bytes have arrived, and of how many. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

/** Announces a file. */
export async function begin(transport: Transport, name: string, size: number, signal?: AbortSignal): Promise<Upload> {
  const coded = btoa(String.fromCharCode(...new TextEncoder().encode(name)));
  const headers = { ...TUS, "Upload-Length": String(size), "Upload-Metadata": `filename ${coded}` };
  const answer = await transport.ask("/uploads", { method: "POST", headers, signal });
  // A proxy may know the server under another address: only the id counts.
  return `upload:${(answer.headers.get("location") ?? "").split("/").pop() ?? ""}`;
}

/** Sends a file in pieces, each from where the server stands. */
export async function upload(transport: Transport, file: Blob, { to, onProgress, signal }: UploadOptions = {}): Promise<Upload> {
  const upload = to === undefined ? await begin(transport, nameOf(file), file.size, signal) : asUpload(to);
  const path = `/uploads/${upload.slice("upload:".length)}`;
  let offset = 0;
  let tries = 0;
  try {
    if (to !== undefined) offset = await arrived(transport, path, file.size, signal);
    while (offset < file.size) {
      const start = offset;
      try {
        const answer = await transport.once(path, {
          method: "PATCH",
          headers: { ...TUS, "Upload-Offset": String(start), "Content-Type": "application/offset+octet-stream" },
          body: file.slice(start, start + PIECE_BYTES, "application/offset+octet-stream"),
          signal,
        });
        offset = Number(answer.headers.get("upload-offset"));
      } catch (error) {
        if (isOutOfStep(error)) error.isPassing = true;
        tries += 1;
        await sleep(pauseAfter(transport.patience, error, tries), signal);
        offset = await arrived(transport, path, file.size, signal);
      }
      if (offset > start) {
        tries = 0;
        onProgress?.(offset, file.size);
      }
    }
  } catch (error) {
    // What is refused for good does not go on later.
    if (error instanceof Unreachable || (error instanceof Problem && error.isPassing)) throw new UploadBroken(upload, offset, error);
    throw error;
  }
  return upload;
}

/** A form whose large files were uploaded before: texts go as they are, files as they are or as `upload:<id>`, everything else as JSON. */
export async function form(transport: Transport, fields: object, signal?: AbortSignal): Promise<FormData> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    // Several files, or uploads of them, are several parts; other lists are JSON.
    for (const one of areFiles(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (one instanceof Blob && one.size > SMALL_BYTES) data.append(name, await upload(transport, one, signal ? { signal } : {}));
      else if (one instanceof Blob) data.append(name, one, nameOf(one));
      else data.append(name, typeof one === "string" ? one : JSON.stringify(one));
    }
  }
  return data;
}

function areFiles(value: unknown): value is unknown[] {
  const isFile = (one: unknown) => one instanceof Blob || (typeof one === "string" && one.startsWith("upload:"));
  return Array.isArray(value) && value.length > 0 && value.every(isFile);
}

/** How much the server has. */
async function arrived(transport: Transport, path: string, size: number, signal?: AbortSignal): Promise<number> {
  const answer = await transport.ask(path, { method: "HEAD", headers: TUS, signal });
  const length = Number(answer.headers.get("upload-length"));
  if (length !== size) throw new RangeError(`This upload was begun for another file: that has ${length} bytes, this one ${size}.`);
  return Number(answer.headers.get("upload-offset"));
}

function isOutOfStep(error: unknown): error is Problem {
  return error instanceof Problem && OUT_OF_STEP.has(error.status);
}

function asUpload(text: string): Upload {
  return text.startsWith("upload:") ? (text as Upload) : `upload:${text}`;
}

function nameOf(file: Blob): string {
  return "name" in file && typeof file.name === "string" ? file.name : "recording";
}

