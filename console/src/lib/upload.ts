// Uploads that go on after a broken line (tus 1.0). The library is fetched with the first upload.
import { address, Problem } from "./api";

export interface Sent {
  sent: number;
  total: number;
  bytesPerSecond: number;
}

/** Uploads a file in pieces. Gives what stands in the place of the file in every form: `upload:<id>`. */
export async function upload(file: Blob & { name?: string }, onProgress: (sent: Sent) => void = () => {}, signal?: AbortSignal): Promise<string> {
  const { Upload } = await import("tus-js-client");
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const job = new Upload(file, {
      endpoint: address("/uploads"),
      headers: { "X-Vocalhost-Console": "1" },
      chunkSize: 8 * 1024 * 1024,
      retryDelays: [0, 500, 1500, 4000, 10000],
      metadata: { filename: file.name ?? "recording.wav" },
      // The server's link may have another origin than the page: see `here`.
      onBeforeRequest: (request) => {
        const url = new URL(request.getURL(), document.baseURI);
        if (url.origin !== location.origin) throw new Error(`an upload goes to ${url.origin}`);
      },
      removeFingerprintOnSuccess: true,
      onProgress: (sent, total) => {
        const seconds = Math.max(0.05, (performance.now() - started) / 1000);
        onProgress({ sent, total, bytesPerSecond: sent / seconds });
      },
      onSuccess: () => resolve(`upload:${(job.url ?? "").split("/").pop()}`),
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
            body.title ?? "Upload failed",
            body.detail ?? "The upload was interrupted.",
            body.requestId ?? "",
            body.errors ?? [],
          ),
        );
      },
    });
    signal?.addEventListener("abort", () => {
      void job.abort(true);
      reject(new DOMException("stopped", "AbortError"));
    });
    job.start();
  });
}
