// What a live conversion is to be. Kept while the page is open, whichever screen is shown.
import { signal } from "@preact/signals";
import type { Latency, LiveRequest, Recording } from "../../../../clients/live/src/messages";
import { effects, toSend } from "../../lib/chain";
import type { ChainEntry, VoiceModel } from "../../lib/types";

export interface Settings {
  pitchShift: number;
  conversionStrength: number;
  modelVolumeMix: number;
  latency: Latency;
  record: Recording;
}

export const DEFAULTS: Settings = { pitchShift: 0, conversionStrength: 0.5, modelVolumeMix: 0.5, latency: "balanced", record: "none" };

export const voice = signal<VoiceModel | null>(null);
export const settings = signal<Settings>(DEFAULTS);
export const pre = signal<ChainEntry[]>([]);
export const post = signal<ChainEntry[]>([]);
/** The microphone; empty is the usual one. */
export const device = signal("");

/** What a chain is as it is sent. */
export function sent(chain: ChainEntry[]): NonNullable<LiveRequest["pre"]> {
  return toSend(chain, effects.value ?? []).map(({ effect, params }) => (params === undefined ? { effect } : { effect, params: params as Record<string, unknown> }));
}

/** The request: what differs from the defaults. */
export function request(): Partial<LiveRequest> {
  const chains = { pre: sent(pre.value), post: sent(post.value) };
  return {
    ...(voice.value === null ? {} : { voiceModelId: voice.value.id }),
    ...Object.fromEntries(Object.entries(settings.value).filter(([name, value]) => DEFAULTS[name as keyof Settings] !== value)),
    ...Object.fromEntries(Object.entries(chains).filter(([, chain]) => chain.length > 0)),
  };
}

const LEVELS = "vocalhost.liveLevels";

/** The speaker's level as the last record told it, by microphone. */
export function levels(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(LEVELS) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

export function keepLevel(microphone: string, rms: number): void {
  localStorage.setItem(LEVELS, JSON.stringify({ ...levels(), [microphone]: rms }));
}
