// What is said beside the sound of a live conversion, as JSON: requests, records, messages both ways.
import type { SampleFormat } from "./frames.js";

/** How long the way through the server is: `low` 120 ms, `balanced` 160 ms, `best` 480 ms, and what effects and resampling add. */
export type Latency = "low" | "balanced" | "best";

/** An effect of a chain: its name, or its name with settings. */
export type ChainLink = string | { effect: string; params?: Record<string, unknown> | boolean };

/** What the server keeps: nothing, what comes out, or what is said, too. */
export type Recording = "none" | "output" | "both";

/** What can change while a conversion runs. */
export interface Params {
  /** Semitones. */
  pitchShift?: number;
  /** 0 to 1. */
  conversionStrength?: number;
  /** 0 to 1. */
  modelVolumeMix?: number;
  /** The effects before the voice, as a whole. */
  pre?: ChainLink[];
  /** The effects after the voice, as a whole. */
  post?: ChainLink[];
}

/** What `POST /live-conversions` takes. */
export interface LiveRequest extends Params {
  voiceModelId: number;
  seed?: number;
  latency?: Latency;
  /** 16,000 to 48,000, of both directions. */
  sampleRate?: number;
  sampleFormat?: SampleFormat;
  /** The speaker's level as the record of an earlier conversion told it: the first words are as loud as all others then. */
  inputLevelRms?: number;
  /** 1 to 60. */
  maxMinutes?: number;
  /** `none` without it. */
  record?: Recording;
}

/** How far what is heard lies behind what is said, in milliseconds: what the server's way takes by design. */
export interface LatencyMs {
  block: number;
  lookAhead: number;
  effects: number;
  resampling: number;
  total: number;
}

export type EndReason = "stopped" | "idle" | "minutes" | "disconnected" | "workerLost" | "protocol" | "cancelled" | "expired" | "serverStopped";

/** The record of a live conversion. */
export interface LiveRecord {
  id: number;
  type: "live-conversion";
  status: "waiting" | "running" | "ended";
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  voiceModelId: number;
  model: { id: number; title: string } & Record<string, unknown>;
  pitchShift: number;
  conversionStrength: number;
  modelVolumeMix: number;
  seed: number;
  latency: Latency;
  sampleRate: number;
  sampleFormat: SampleFormat;
  pre: ChainLink[];
  post: ChainLink[];
  /** At the end: to be given the next time. */
  inputLevelRms: number | null;
  latencyMs: LatencyMs;
  /** Heard so far. */
  seconds: number;
  droppedMs: number;
  starvedMs: number;
  lateBlocks: number;
  blockMs: BlockMs;
  endReason: EndReason | null;
  streamUrl: string | null;
  /** Only in the answer of the request: opens the stream once, within 30 seconds. */
  ticket?: string;
  maxMinutes: number;
  record: Recording;
  /** WAV files of what was said and of what came out, once it ended, where they were kept. */
  inputFileUrl: string | null;
  outputFileUrl: string | null;
}

/** How long the server computed for a block. */
export interface BlockMs {
  median: number | null;
  p99: number | null;
}

/** Once a second. */
export interface Stats {
  seconds: number;
  blockMs: BlockMs;
  lateBlocks: number;
  droppedMs: number;
  starvedMs: number;
  /** How loud the server finds the speaker; null is silence. */
  inputDb: number | null;
  /** The speaker's level so far: given the next time as it is in the record. */
  inputLevelRms: number | null;
}

/** What the server finds wrong with the microphone: it is too loud and cut off, or it is silent. The same at most every ten seconds. */
export interface Warning {
  what: "clipping" | "silence";
}

export interface Ready {
  latencyMs: LatencyMs;
  /** What the voice may be used for, as its record has it. */
  terms?: unknown;
}

export interface Mistake {
  field: string;
  message: string;
}

/** What the server says. */
export type FromServer =
  | ({ type: "ready" } & Ready)
  | { type: "applied"; id: number; atFrame: number }
  | { type: "refused"; id: number; errors: Mistake[] }
  | ({ type: "stats" } & Stats)
  | { type: "discontinuity"; ms: number; why: string }
  | ({ type: "warning" } & Warning)
  | { type: "pong"; t: number }
  | { type: "ended"; record: LiveRecord };

/** What the server hears. */
export type ToServer = ({ type: "params"; id: number } & Params) | { type: "stop" } | { type: "ping"; t: number };

/** The subprotocol of the stream. */
export const SUBPROTOCOL = "vocalhost.live.v1";

/** What the codes mean with which a stream is closed. */
const CLOSED: Record<number, string> = {
  1000: "It has ended.",
  1001: "The server is stopping.",
  1006: "The connection broke.",
  4400: "The server did not understand what was sent.",
  4401: "The ticket is not valid: it opens a stream once, within 30 seconds.",
  4408: "No sound came for 30 seconds.",
  4429: "The minutes are spent.",
  4503: "The server lost the process that converted.",
};

/** Why a stream was closed, as a sentence. */
export function closedBecause(code: number): string {
  return CLOSED[code] ?? `The stream was closed with the code ${code}.`;
}

/** A message of the server's; undefined for one that this version does not know. */
export function parse(text: string): FromServer | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof message !== "object" || message === null) return undefined;
  const known = ["ready", "applied", "refused", "stats", "discontinuity", "warning", "pong", "ended"];
  return known.includes((message as FromServer).type) ? (message as FromServer) : undefined;
}
