// A client for vocalhost, a self-hosted voice-processing server, for Node and browsers.
export { Client, type ClientOptions } from "./client.js";
export type { DownloadOptions, Sink } from "./downloads.js";
export {
  JobCancelled,
  JobFailed,
  Problem,
  Unreachable,
  UploadBroken,
  VocalhostError,
  WebhookRefused,
  type Mistake,
} from "./errors.js";
export { Jobs, type CreateOptions, type WaitOptions } from "./jobs.js";
export type { components, operations, paths } from "./schema.js";
export type * from "./types.js";
export type { Upload, UploadOptions } from "./uploads.js";
export { verifyWebhook, type HeadersGiven, type WebhookEvent } from "./webhooks.js";
