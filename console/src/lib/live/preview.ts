// A chain of effects on a recording, heard while it is put together: the effects run in this browser as they would on the server.
import { signal } from "@preact/signals";
import { getBytes } from "../api";
import { effectOf, loadEffects } from "../chain";
import type { ChainEntry, Effect } from "../types";
import type { Link } from "./chain";
import { effectModule } from "./component";
import type { Order, Report } from "./live.worklet";
import worklet from "./live.worklet.ts?worker&url";

/** The modules of effects that were read, by their digest. */
const modules = new Map<string, Promise<WebAssembly.Module>>();

/** An effect of a chain cannot be heard here. */
export class NotHere extends Error {
  constructor(
    readonly effect: string,
    readonly reason: string,
  ) {
    super(`${effect}: ${reason}`);
  }
}

function moduleOf(effect: Effect): Promise<WebAssembly.Module> {
  const known = modules.get(effect.digest);
  if (known !== undefined) return known;
  const name = encodeURIComponent(`${effect.id}@${effect.version}`);
  const read = getBytes(`/effects/${name}/component`).then(effectModule);
  read.catch(() => modules.delete(effect.digest));
  modules.set(effect.digest, read);
  return read;
}

/** What of a chain is on, and the modules that it needs. */
async function linksOf(chain: readonly ChainEntry[]): Promise<{ links: Link[]; modules: [string, WebAssembly.Module][] }> {
  const installed = await loadEffects();
  const links: Link[] = [];
  const found = new Map<string, WebAssembly.Module>();
  for (const entry of chain) {
    if (entry.bypass === true) continue;
    const effect = effectOf(entry, installed);
    if (effect === undefined) throw new NotHere(entry.effect, "E_ROW_NOT_FOUND");
    try {
      found.set(effect.digest, await moduleOf(effect));
    } catch (error) {
      throw new NotHere(effect.name, error instanceof Error ? error.message : String(error));
    }
    links.push({ digest: effect.digest, name: effect.name, layouts: effect.layouts, settings: settingsOf(effect, entry) });
  }
  return { links, modules: [...found] };
}

/** Every setting of an effect: what the chain says, and the defaults. */
function settingsOf(effect: Effect, entry: ChainEntry): Link["settings"] {
  return Object.fromEntries(effect.parameters.map(({ id, default: usual }) => [id, entry.params[id] ?? usual]));
}

/** What a context has of modules. */
const brought = new WeakMap<BaseAudioContext, Set<string>>();

/** Sees to it that a context's worklets have the modules. */
async function bring(context: BaseAudioContext, needed: [string, WebAssembly.Module][]): Promise<void> {
  const there = brought.get(context) ?? new Set();
  brought.set(context, there);
  const missing = needed.filter(([digest]) => !there.has(digest));
  if (missing.length === 0) return;
  const courier = new AudioWorkletNode(context, "courier", { numberOfInputs: 0, processorOptions: missing });
  await new Promise((here) => (courier.port.onmessage = here));
  for (const [digest] of missing) there.add(digest);
}

/** The node of a context that plays through a chain. */
async function nodeIn(context: BaseAudioContext, channels: number): Promise<{ node: AudioWorkletNode; tell: (order: Order) => void }> {
  await context.audioWorklet.addModule(worklet);
  const node = new AudioWorkletNode(context, "live", { numberOfInputs: 0, outputChannelCount: [channels] });
  node.connect(context.destination);
  return { node, tell: (order) => node.port.postMessage(order) };
}

const channelsOf = (buffer: AudioBuffer) => Array.from({ length: buffer.numberOfChannels }, (_, i) => buffer.getChannelData(i).slice());

/** The whole recording through a chain, as fast as it goes. `changes` are chains that take over at some second. */
export async function render(buffer: AudioBuffer, chain: readonly ChainEntry[], changes: { at: number; chain: readonly ChainEntry[] }[] = []): Promise<AudioBuffer> {
  const context = new OfflineAudioContext(buffer.numberOfChannels, buffer.length, buffer.sampleRate);
  const { node, tell } = await nodeIn(context, buffer.numberOfChannels);
  const orders: { at: number; orders: Order[] }[] = [];
  for (const { at, chain: then } of [{ at: 0, chain }, ...changes]) {
    const { links, modules: needed } = await linksOf(then);
    await bring(context, needed);
    orders.push({ at, orders: [{ is: "chain", links }] });
  }
  orders[0].orders.unshift({ is: "recording", channels: channelsOf(buffer) });
  orders[0].orders.push({ is: "hear", wet: true, matched: false }, { is: "play", from: 0 });
  let synced = () => {};
  const broken = new Promise<never>((_, reject) => {
    node.port.onmessage = ({ data }: MessageEvent<Report>) => {
      if (data.is === "broken") reject(new NotHere(data.link, data.reason));
      if (data.is === "synced") synced();
    };
  });
  for (const { at, orders: list } of orders) {
    // The sound waits until the worklet has taken them: offline it would be done before.
    void context.suspend(at).then(() => {
      synced = () => void context.resume();
      for (const order of list) tell(order);
      tell({ is: "sync" });
    });
  }
  return Promise.race([context.startRendering(), broken]);
}

/** Plays a recording through a chain that may be changed meanwhile. */
export class Preview {
  /** In seconds. */
  readonly position = signal(0);
  readonly playing = signal(false);
  /** Whether the chain is heard, or the recording as it is. */
  readonly wet = signal(true);
  /** Whether both are heard at the loudness of the softer one. */
  readonly matched = signal(true);
  /** By how many decibels what is heard is turned down for that. */
  readonly gain = signal(0);
  /** By how many seconds the chain lags; what is heard is aligned. */
  readonly latency = signal(0);
  readonly problem = signal<NotHere | null>(null);
  private context: AudioContext | null = null;
  private tell: ((order: Order) => void) | null = null;
  private chain: readonly ChainEntry[] = [];
  private sent = 0;

  constructor(readonly recording: AudioBuffer) {}

  async play(): Promise<void> {
    this.problem.value = null;
    try {
      await this.open();
      await this.send();
    } catch (error) {
      this.problem.value = error instanceof NotHere ? error : new NotHere("", String(error));
      return;
    }
    this.hear();
    this.tell?.({ is: "play", from: Math.round(this.position.value * this.recording.sampleRate) });
    this.playing.value = true;
  }

  pause(): void {
    this.tell?.({ is: "pause" });
    this.playing.value = false;
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else void this.play();
  }

  seek(seconds: number): void {
    this.position.value = seconds;
    if (this.playing.value) this.tell?.({ is: "play", from: Math.round(seconds * this.recording.sampleRate) });
  }

  /** Takes another chain; what plays goes on with it without a click. */
  change(chain: readonly ChainEntry[]): void {
    this.chain = chain;
    this.problem.value = null;
    if (this.tell !== null) this.send().catch((error: unknown) => error instanceof NotHere && (this.problem.value = error));
  }

  listen(to: { wet?: boolean; matched?: boolean }): void {
    this.wet.value = to.wet ?? this.wet.value;
    this.matched.value = to.matched ?? this.matched.value;
    this.hear();
  }

  close(): void {
    this.playing.value = false;
    void this.context?.close();
    this.context = null;
    this.tell = null;
  }

  private hear(): void {
    this.tell?.({ is: "hear", wet: this.wet.value, matched: this.matched.value });
  }

  private async send(): Promise<void> {
    this.sent += 1;
    const now = this.sent;
    const { links, modules: needed } = await linksOf(this.chain);
    // A change that came later may have been ready sooner.
    if (now !== this.sent || this.context === null) return;
    await bring(this.context, needed);
    if (now === this.sent) this.tell?.({ is: "chain", links });
  }

  /** A context at the recording's own rate, as the server runs the effects at it. */
  private async open(): Promise<void> {
    if (this.context !== null) return void (await this.context.resume());
    const context = new AudioContext({ sampleRate: this.recording.sampleRate, latencyHint: "playback" });
    this.context = context;
    await context.resume();
    const { node, tell } = await nodeIn(context, this.recording.numberOfChannels);
    node.port.onmessage = ({ data }: MessageEvent<Report>) => this.take(data);
    this.tell = tell;
    tell({ is: "recording", channels: channelsOf(this.recording) });
  }

  private take(report: Report): void {
    if (report.is === "chain") this.latency.value = report.latency / this.recording.sampleRate;
    else if (report.is === "broken") {
      this.playing.value = false;
      this.problem.value = new NotHere(report.link, report.reason);
    } else if (report.is === "at") {
      this.position.value = report.frame / this.recording.sampleRate;
      this.playing.value = report.playing;
    } else if (report.is === "match") {
      this.gain.value = 20 * Math.log10(this.wet.value ? report.wet : report.dry);
    }
  }
}
