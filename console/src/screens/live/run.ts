// The conversion that runs: microphone, session, and what is known of both.
import { signal } from "@preact/signals";
import { LiveAudio } from "../../../../clients/live/src/audio";
import { Live, type Glitches, type MeasuredLatency } from "../../../../clients/live/src/live";
import type { LatencyMs, LiveRecord, Params, Stats, Warning } from "../../../../clients/live/src/messages";
import { Recorder } from "../../../../clients/live/src/recorder";
import { Closed, LiveSession, Refused, type End } from "../../../../clients/live/src/session";
import worklet from "../../../../clients/live/src/worklet.ts?worker&url";
import { asProblem, here, Problem, send } from "../../lib/api";
import { microphoneProblem, type Level } from "../../lib/capture";
import { maybe, t } from "../../lib/strings";
import { device, keepLevel, levels, request } from "./state";

export type Phase = "idle" | "opening" | "loading" | "live" | "stopping";

/** A recording of what came out. */
export interface Take {
  seconds: number;
  url: string;
  name: string;
}

/** What is shown of it, twice a second. */
export interface Numbers {
  told: LatencyMs;
  measured: MeasuredLatency;
  glitches: Glitches;
  stats: Stats | null;
}

const SILENCE: Level = { peak: 0, rms: 0 };

export const phase = signal<Phase>("idle");
export const problem = signal<Problem | null>(null);
export const input = signal<Level>(SILENCE);
export const output = signal<Level>(SILENCE);
export const numbers = signal<Numbers | null>(null);
/** What the server finds wrong with the microphone, for a while after it has said so. */
export const warning = signal<Warning["what"] | null>(null);
/** The record of the one that has ended last. */
export const last = signal<LiveRecord | null>(null);
export const takes = signal<Take[]>([]);
/** Seconds of the recording that goes on. */
export const recording = signal<number | null>(null);
export const isMuted = signal(false);
export const microphones = signal<MediaDeviceInfo[]>([]);

/** How long a warning is shown: the server repeats it every ten seconds. */
const WARNING_MS = 12_000;
/** How much later than it was so the server may say that the microphone is silent. */
const SAID_LATE_MS = 2_000;
/** How much of a peak is left a tenth of a second later. */
const PEAK_LEFT = 0.9;

let live: Live | null = null;
let recorder: Recorder | null = null;
let unmutedAt = -Infinity;
/** Which attempt this is: what belongs to an earlier one is not shown any more. */
let attempt = 0;

/** An address of the stream's on the page's own origin, as `here` has those of files. */
function streamAt(url: string): string {
  return new URL(here(url), document.baseURI).href.replace(/^http/, "ws");
}

/** Opens everything, in answer to a press. */
export async function begin(): Promise<void> {
  attempt += 1;
  const mine = attempt;
  const isMine = () => mine === attempt;
  problem.value = null;
  last.value = null;
  phase.value = "opening";
  let audio: LiveAudio;
  try {
    audio = await LiveAudio.open({ worklet, device: device.value });
  } catch (error) {
    if (!isMine()) return;
    problem.value = microphoneProblem(error);
    phase.value = "idle";
    return;
  }
  if (!isMine()) return void audio.close();
  phase.value = "loading";
  try {
    void listMicrophones();
    const record = await made(audio);
    const session = new LiveSession({
      streamUrl: streamAt(record.streamUrl ?? ""),
      ticket: record.ticket ?? "",
      sampleRate: record.sampleRate,
      sampleFormat: record.sampleFormat,
    });
    if (!isMine()) {
      session.close();
      return void audio.close();
    }
    live = new Live(session, audio);
    follow(live, record);
    await session.ready;
    if (isMine()) phase.value = "live";
  } catch (error) {
    await audio.close();
    if (!isMine()) return;
    live = null;
    phase.value = "idle";
    problem.value = error instanceof Closed ? closed(error.end) : asProblem(error);
  }
}

function made(audio: LiveAudio): Promise<LiveRecord> {
  const rms = levels()[audio.device];
  return send<LiveRecord>("POST", "/live-conversions", { ...request(), sampleRate: audio.sampleRate, ...(rms === undefined ? {} : { inputLevelRms: rms }) });
}

async function listMicrophones(): Promise<void> {
  microphones.value = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "audioinput");
}

/** What a stream that was closed before its time is told as. */
function closed({ code, reason }: End): Problem {
  return new Problem(0, `E_LIVE_${code}`, t("live.broken"), maybe(`live.closed.${code}`) ?? reason, "");
}

function follow(now: Live, record: LiveRecord): void {
  const { session, audio } = now;
  now.isMuted = isMuted.value;
  let told = record.latencyMs;
  let stats: Stats | null = null;
  const show = () => {
    numbers.value = { told, measured: now.latency, glitches: now.glitches, stats };
  };
  const held = (was: Level, level: Level): Level => ({ rms: level.rms, peak: Math.max(level.peak, was.peak * PEAK_LEFT) });
  audio.on("input", (level) => (input.value = held(input.value, level)));
  audio.on("output", (level) => (output.value = held(output.value, level)));
  session.on("ready", ({ latencyMs }) => {
    told = latencyMs;
    show();
  });
  session.on("stats", (news) => (stats = news));
  let warned: ReturnType<typeof setTimeout> | undefined;
  session.on("warning", ({ what }) => {
    // Whoever has muted the microphone, or had until a moment ago, knows that it is silent.
    if (what === "silence" && (isMuted.value || performance.now() - unmutedAt < SAID_LATE_MS)) return;
    warning.value = what;
    clearTimeout(warned);
    warned = setTimeout(() => (warning.value = null), WARNING_MS);
  });
  session.on("sound", (frame) => {
    recorder?.add(frame);
    if (recorder !== null) recording.value = recorder.seconds;
  });
  const showing = setInterval(show, 500);
  void session.ended.then(async (end) => {
    clearInterval(showing);
    clearTimeout(warned);
    warning.value = null;
    show();
    if (live === now) await over(now, end, record);
  });
}

/** Ends what has ended, and shows how. */
async function over(now: Live, end: End, before: LiveRecord): Promise<void> {
  const wasLive = phase.value === "live" || phase.value === "stopping";
  live = null;
  endRecording();
  const { device: microphone } = now.audio;
  await now.stop();
  // One that never began is told by `begin`.
  if (!wasLive) return;
  phase.value = "idle";
  input.value = output.value = SILENCE;
  const { record } = end;
  if (record?.inputLevelRms != null) keepLevel(microphone, record.inputLevelRms);
  last.value = record ?? { ...before, status: "ended" };
  if (end.code !== 1000) problem.value = closed(end);
}

/** Changes what runs; nothing when nothing does. */
export function change(params: Params): void {
  live?.session.params(params).then(
    () => {
      if (problem.value?.code === "E_LIVE_REFUSED") problem.value = null;
    },
    (error: unknown) => {
      if (error instanceof Refused) problem.value = new Problem(422, "E_LIVE_REFUSED", t("live.refused"), error.message, "", error.errors);
    },
  );
}

export function mute(muted: boolean): void {
  isMuted.value = muted;
  unmutedAt = performance.now();
  warning.value = null;
  if (live !== null) live.isMuted = muted;
}

/** Ends it; what was said is heard to its end. */
export function stop(): void {
  if (phase.value === "live") {
    phase.value = "stopping";
    void live?.session.stop();
    return;
  }
  leave();
}

/** Ends it at once: the screen is left, or it was not live yet. */
export function leave(): void {
  attempt += 1;
  const now = live;
  live = null;
  endRecording();
  phase.value = "idle";
  input.value = output.value = SILENCE;
  now?.session.close();
  void now?.audio.close();
}

export function beginRecording(): void {
  if (live === null) return;
  recorder = new Recorder(live.session.sampleRate);
  recording.value = 0;
}

export function endRecording(): void {
  const done = recorder;
  recorder = null;
  recording.value = null;
  if (done === null || done.seconds === 0) return;
  const name = `${t("live.title")} ${new Date().toLocaleString("sv").replaceAll(":", "-")}.wav`;
  takes.value = [...takes.value, { seconds: done.seconds, url: URL.createObjectURL(done.wav()), name }];
}
