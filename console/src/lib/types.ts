// Names for the types of the API's own description, which the library for TypeScript has (`clients/typescript`).
import type { components, operations } from "../../../clients/typescript/src/schema";

export type { components, operations };

type Schemas = components["schemas"];

export type VoiceConversion = Schemas["VoiceConversion"];
export type Separation = Schemas["Separation"];
export type VoiceBlend = Schemas["VoiceBlend"];
export type VoiceTraining = Schemas["VoiceTraining"];
export type ConsentStatement = operations["getTrainingConsent"]["responses"][200]["content"]["application/json"];
export type VoiceModel = Schemas["VoiceModel"];
export type VoiceModelWithTerms = Schemas["VoiceModelWithTerms"];
export type ImportedModel = Schemas["ImportedModel"];
export type Terms = Schemas["Terms"];
export type Effect = Schemas["Effect"];
export type EffectParameter = Effect["parameters"][number];
export type InstalledEffect = Schemas["InstalledEffect"];
export type Pipeline = Schemas["Pipeline"];
export type ListedEffect = Schemas["ListedEffect"];
export type User = Schemas["User"];
export type Key = Schemas["Key"];
export type Webhook = Schemas["Webhook"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type AuditLine = Schemas["AuditLine"];
export type Node = Schemas["Node"];
export type ListedJob = Schemas["ListedJob"];
export type JobEvent = Schemas["JobEvent"];
export type JobFailure = Schemas["JobFailure"];
export type JobWarning = Schemas["JobWarning"];
export type Package = Schemas["Package"];
export type Peaks = Schemas["Peaks"];
export type FieldError = Schemas["FieldError"];
export type PageMeta = Schemas["PageMeta"];

/** The paths of the kinds of job. */
export type JobKind = "voice-conversions" | "vocal-separations" | "stem-splits" | "voice-blender" | "voice-trainings";

/** The record of a job of any kind. */
export type JobRecord = VoiceConversion | Separation | VoiceBlend | VoiceTraining;

/** What every record of a job has, whatever its kind. */
export interface AnyJob {
  id: number;
  status: string;
  stage?: string | null;
  progress?: number | null;
  queuePosition?: number | null;
  error?: JobFailure | null;
  warnings?: JobWarning[];
  createdAt?: string;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

export type ParameterValue = number | boolean | string;

/** One entry of a chain of effects as the page holds it. `lib/chain.ts` has what is sent. */
export interface ChainEntry {
  /** The effect's short name, or its id. */
  effect: string;
  params: Record<string, ParameterValue>;
  /** Stays in the chain, but is not sent. */
  bypass?: boolean;
}

/** What the server says about the page before anybody has signed in. */
export interface Config {
  version: string;
  /** Relative to the page's address. */
  apiRoot: string;
  publicUrl: string;
  surface: "whole" | "clients" | "operators";
  firstStart: boolean;
}

export interface Session {
  id: string;
  user: string;
  scopes: string[];
  keyId: string;
  expiresAt: string | null;
}
