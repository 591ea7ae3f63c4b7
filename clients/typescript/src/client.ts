// The client itself.
import createClient, { type Client as Typed } from "openapi-fetch";
import { fetchBlob, fetchInto, type DownloadOptions, type Sink } from "./downloads.js";
import { Jobs } from "./jobs.js";
import { LiveConversions } from "./live.js";
import { listed } from "./pages.js";
import type { paths } from "./schema.js";
import { Transport } from "./transport.js";
import type {
  BlendRequest,
  ConversionRequest,
  Effect,
  JobStatus,
  ListedJob,
  Separation,
  SeparationRequest,
  SplitRequest,
  TrainingRequest,
  VoiceBlend,
  VoiceConversion,
  VoiceModel,
  VoiceTraining,
} from "./types.js";
import { begin, upload, type Upload, type UploadOptions } from "./uploads.js";

export interface ClientOptions {
  /** The address of the server, `http://127.0.0.1:8080`; with a path where the API lies elsewhere than under `/api/v1`. */
  url: string;
  key?: string;
  /** How often in a row a request is sent again that the server cannot do just now (429, 503) or that a broken line has interrupted; 5. */
  retries?: number;
  /** Seconds. A server that asks for a longer pause is not asked again; 60. */
  longestPause?: number;
  /** What sends requests, instead of the `fetch` that is there. */
  fetch?: typeof fetch;
}

/** A vocalhost server. Requests that make something carry an `Idempotency-Key`, so that they are done once however often they are sent. */
export class Client {
  /** Recordings in other voices. */
  readonly conversions: Jobs<VoiceConversion, ConversionRequest>;
  /** What is sung, apart from the music. */
  readonly separations: Jobs<Separation, SeparationRequest>;
  /** Songs in stems: vocals, drums, bass and the rest. */
  readonly splits: Jobs<Separation, SplitRequest>;
  /** Voices out of others. */
  readonly blends: Jobs<VoiceBlend, BlendRequest>;
  /** Voices out of recordings of them. What has to be declared: `client.api.GET("/voice-trainings/consent")`. */
  readonly trainings: Jobs<VoiceTraining, TrainingRequest>;
  /** Conversions while somebody speaks. */
  readonly live: LiveConversions;
  /** Everything that the API can do, with its types: `client.api.GET("/usage")`. What the server refuses is thrown as `Problem`. */
  readonly api: Typed<paths>;
  private readonly transport: Transport;

  constructor({ url, key, retries = 5, longestPause = 60, fetch: send = (...asked) => fetch(...asked) }: ClientOptions) {
    const transport = new Transport(url, key, { retries, longestPause }, send);
    this.transport = transport;
    this.conversions = new Jobs(transport, "/voice-conversions");
    this.separations = new Jobs(transport, "/vocal-separations");
    this.splits = new Jobs(transport, "/stem-splits");
    this.blends = new Jobs(transport, "/voice-blender", false);
    this.trainings = new Jobs(transport, "/voice-trainings");
    this.live = new LiveConversions(transport);
    this.api = createClient<paths>({ baseUrl: transport.root, fetch: transport.fetch });
  }

  /** The voices that you can use. */
  voices(filter: { myModels?: boolean; instruments?: boolean; q?: string; tag?: string } = {}): AsyncGenerator<VoiceModel> {
    return listed(this.transport, "/voice-models", filter);
  }

  /** The effects that `pre` and `post` can name, with their parameters. */
  effects(): AsyncGenerator<Effect> {
    return listed(this.transport, "/effects", {});
  }

  /** Your jobs of all kinds, the newest first. */
  jobs(filter: { kind?: ListedJob["kind"]; status?: JobStatus; order?: "asc" | "desc" } = {}): AsyncGenerator<ListedJob> {
    return listed(this.transport, "/jobs", { order: "desc", ...filter });
  }

  /** Sends a file in pieces that go on after a broken line, and gives what stands in its place in every form: `upload:<id>`. */
  async upload(file: Blob, options: UploadOptions = {}): Promise<Upload> {
    return upload(this.transport, file, options);
  }

  /** Announces a file of so many bytes. What it gives can be kept, for an upload that outlives this page or process. */
  async beginUpload(name: string, size: number): Promise<Upload> {
    return begin(this.transport, name, size);
  }

  /** Fetches a link of a record. In Node, `save` of `vocalhost/node` puts it into a file. */
  async download(url: string, options: DownloadOptions = {}): Promise<Blob> {
    return fetchBlob(this.transport, url, options);
  }

  /** Fetches a link of a record, piece by piece. */
  async downloadInto(url: string, sink: Sink, options: DownloadOptions = {}): Promise<void> {
    await fetchInto(this.transport, url, sink, options);
  }
}
