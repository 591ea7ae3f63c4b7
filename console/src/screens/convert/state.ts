// What a conversion is to be made of. Kept while the page is open, whichever screen is shown.
import { signal } from "@preact/signals";
import { chainFields } from "../../lib/chain";
import type { Kept } from "../../lib/kept";
import { fits, USUAL, type Output } from "../../lib/output";
import type { ChainEntry, VoiceConversion, VoiceModel } from "../../lib/types";
import type { CodeField } from "../../ui/CodeSame";

export interface Settings extends Output {
  conversionStrength: number;
  modelVolumeMix: number;
  pitchShift: number;
  autoPitch: boolean;
  isolateVocals: boolean;
  /** Steps with commas between them. */
  clean: string;
  f0Method: string;
  /** Null is as the voice says, here and in the next two. */
  protect: number | null;
  speakerId: number | null;
  silenceGate: boolean | null;
  seed: number;
  strictInput: boolean;
  priority: number;
  webhookUrl: string;
  metadata: { name: string; value: string }[];
}

export const DEFAULTS: Settings = {
  conversionStrength: 0.5,
  modelVolumeMix: 0.5,
  pitchShift: 0,
  autoPitch: false,
  isolateVocals: false,
  clean: "",
  f0Method: "auto",
  protect: null,
  speakerId: null,
  silenceGate: null,
  seed: 0,
  strictInput: false,
  ...USUAL,
  priority: 0,
  webhookUrl: "",
  metadata: [],
};

export const source = signal<File | null>(null);
export const backing = signal<File | null>(null);
export const voice = signal<VoiceModel | null>(null);
export const settings = signal<Settings>(DEFAULTS);
export const pre = signal<ChainEntry[]>([]);
export const post = signal<ChainEntry[]>([]);

export function set(change: Partial<Settings>): void {
  settings.value = { ...settings.value, ...change };
}

/** Takes over what a job was made with, where nothing was chosen yet: a page that comes back goes on from there. */
export function adopt(record: VoiceConversion, before: Kept | null): void {
  if (source.value === null) source.value = before?.file ?? null;
  if (voice.value === null && record.model.isUsable) voice.value = record.model;
  if (settings.value !== DEFAULTS) return;
  if (pre.value.length === 0) pre.value = before?.pre ?? [];
  if (post.value.length === 0) post.value = before?.post ?? [];
  settings.value = {
    ...DEFAULTS,
    conversionStrength: record.conversionStrength,
    modelVolumeMix: record.modelVolumeMix,
    pitchShift: record.pitchShift,
    autoPitch: record.autoPitch,
    isolateVocals: record.isolateVocals,
    clean: record.clean.join(","),
    f0Method: record.f0Method,
    protect: record.protect,
    speakerId: record.speakerId,
    silenceGate: record.silenceGate,
    seed: record.seed,
    outputFormat: record.outputFormat,
    outputBitrate: record.outputBitrate,
    outputLoudness: record.outputLoudness,
    priority: record.priority,
    webhookUrl: record.webhookUrl ?? "",
    metadata: Object.entries(record.metadata ?? {}).map(([name, value]) => ({ name, value })),
  };
}

/** The fields of the request beside its files: what differs from the defaults. */
export function fields(): { name: string; value: string }[] {
  const now = settings.value;
  const list: { name: string; value: string }[] = [];
  if (voice.value !== null) list.push({ name: "voiceModelId", value: String(voice.value.id) });
  for (const name of Object.keys(DEFAULTS) as (keyof Settings)[]) {
    const value = now[name];
    if (name === "metadata" || value === DEFAULTS[name] || value === null || value === "") continue;
    if (name === "outputBitrate" && !fits(now)) continue;
    list.push({ name, value: String(value) });
  }
  list.push(...chainFields({ pre: pre.value, post: post.value }));
  const notes = now.metadata.filter((pair) => pair.name.trim() !== "");
  if (notes.length > 0)
    list.push({ name: "metadata", value: JSON.stringify(Object.fromEntries(notes.map((pair) => [pair.name.trim(), pair.value]))) });
  return list;
}

/** The same with the files, for the example of the request. */
export function example(): CodeField[] {
  const list: CodeField[] = [...fields(), { name: "soundFile", file: source.value?.name ?? "song.wav" }];
  if (backing.value !== null && !settings.value.isolateVocals) list.push({ name: "backingSoundFile", file: backing.value.name });
  return list;
}
