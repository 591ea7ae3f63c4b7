// Names for the types of the API's own description (`schema.ts`, made by `npm run generate`).
import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];

export type VoiceConversion = Schemas["VoiceConversion"];
export type Separation = Schemas["Separation"];
export type VoiceBlend = Schemas["VoiceBlend"];
export type VoiceTraining = Schemas["VoiceTraining"];
export type LiveConversion = Schemas["LiveConversion"];
export type VoiceModel = Schemas["VoiceModel"];
export type Effect = Schemas["Effect"];
export type Chain = Schemas["Chain"];
export type Stem = Schemas["Stem"];
export type JobFailure = Schemas["JobFailure"];

/** The record of a job of any kind. */
export type AnyJob = VoiceConversion | Separation | VoiceBlend | VoiceTraining;

/** The record of a job, with its kind where kinds are mixed. */
export type ListedJob = Answer<"listJobs">["data"][number];

/** How a job stands. */
export type JobStatus = AnyJob["status"];

/** A file to be sent: its bytes, or `upload:<id>` of what was uploaded before. In Node, `openFile` of `vocalhost/node` gives one. */
export type FileInput = Blob | `upload:${string}`;

type Form<Name extends keyof operations> = operations[Name] extends {
  requestBody: { content: { "multipart/form-data": infer Body } };
}
  ? {
      [Field in keyof Body]: Blob extends Body[Field]
        ? FileInput | Exclude<Body[Field], Blob>
        : Body[Field] extends Blob[]
          ? FileInput[]
          : Body[Field];
    }
  : never;

type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

/** What a conversion is asked for. */
export type ConversionRequest = Form<"createVoiceConversion">;
/** What a separation of vocals is asked for. */
export type SeparationRequest = Form<"createVocalSeparation">;
/** What a split is asked for. */
export type SplitRequest = Form<"createStemSplit">;
/** What a blend is asked for. */
export type BlendRequest = operations["createVoiceBlend"]["requestBody"]["content"]["application/json"];

/** What a training is asked for. */
export type TrainingRequest = Form<"createVoiceTraining">;

type Json<Name extends keyof operations> = operations[Name] extends { requestBody: { content: { "application/json": infer Body } } } ? Body : never;

/** What a live conversion is asked for. */
export type LiveRequest = Json<"createLiveConversion">;
/** What may be otherwise where what was said is converted as a recording. */
export type RenderRequest = Json<"renderLiveConversion">;

/** Something that happened to a job. */
export interface JobEvent {
  /** What `after` takes, to go on behind this event. */
  id: string;
  event: "created" | "started" | "progress" | "requeued" | "cancelling" | "ended";
  data: { at: string; status?: JobStatus; stage?: string; progress?: number; attempt?: number; error?: JobFailure };
}
