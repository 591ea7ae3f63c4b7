// Uploads that go on after a broken line and after the page was left (tus 1.0). The library is fetched with the first upload.
import { address, answer, ask, here, Problem } from "./api";

export interface Sent {
  sent: number;
  total: number;
  bytesPerSecond: number;
}

type Named = Blob & { name?: string; lastModified?: number };

/** Where the address of a file's upload is kept until the file is there. */
function place(file: Named): string {
  return `vocalhost.upload:${file.name ?? ""}:${file.size}:${file.lastModified ?? 0}`;
}

/** The address of the file's upload: of one that was begun before, or of a new one. */
async function begin(file: Named, signal?: AbortSignal): Promise<string> {
  const before = localStorage.getItem(place(file));
  if (before !== null) {
    const found = await ask(before, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" }, signal });
    if (found.ok && found.headers.get("upload-length") === String(file.size)) return before;
    localStorage.removeItem(place(file));
  }
  const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name ?? "recording.wav")));
  const made = await ask(address("/uploads"), {
    method: "POST",
    headers: { "Tus-Resumable": "1.0.0", "Upload-Length": String(file.size), "Upload-Metadata": `filename ${name}` },
    signal,
  });
  if (!made.ok) await answer(made);
  // The server's link may have another origin than the page.
  const url = here(made.headers.get("location") ?? "");
  localStorage.setItem(place(file), url);
  return url;
}

/** Uploads a file in pieces. Gives what stands in the place of the file in every form: `upload:<id>`. */
export async function upload(file: Named, onProgress: (sent: Sent) => void = () => {}, signal?: AbortSignal): Promise<string> {
  onProgress({ sent: 0, total: file.size, bytesPerSecond: 0 });
  const [{ Upload }, uploadUrl] = await Promise.all([import("tus-js-client"), begin(file, signal)]);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let first: number | undefined;
    const job = new Upload(file, {
      uploadUrl,
      headers: { "X-Vocalhost-Console": "1" },
      chunkSize: 8 * 1024 * 1024,
      retryDelays: [0, 500, 1500, 4000, 10000],
      storeFingerprintForResuming: false,
      onProgress: (sent, total) => {
        first ??= sent;
        const seconds = Math.max(0.05, (performance.now() - started) / 1000);
        onProgress({ sent, total, bytesPerSecond: (sent - first) / seconds });
      },
      onSuccess: () => {
        localStorage.removeItem(place(file));
        resolve(`upload:${uploadUrl.split("/").pop()}`);
      },
      onError: (error) => {
        const response = "originalResponse" in error ? error.originalResponse : null;
        let body: Partial<Problem> = {};
        try {
          body = JSON.parse(response?.getBody() ?? "{}");
        } catch {
          // Not a problem of ours.
        }
        reject(
          new Problem(
            response?.getStatus() ?? 0,
            body.code ?? "E_UPLOAD",
            body.title ?? "Upload interrupted",
            body.detail ?? "The upload was interrupted. Send it again to go on where it stopped.",
            body.requestId ?? "",
            body.errors ?? [],
          ),
        );
      },
    });
    signal?.addEventListener("abort", () => {
      void job.abort();
      reject(new DOMException("stopped", "AbortError"));
    });
    job.start();
  });
}
