// Plays a recording through a chain of effects, in the thread that computes the sound.
import { BLOCK, Broken, Chain, Guests, type Link } from "./chain";
import { Match } from "./loudness";

/** What the worklet is told. */
export type Order =
  | { is: "recording"; channels: Float32Array[] }
  | { is: "chain"; links: Link[] }
  | { is: "play"; from: number }
  | { is: "pause" }
  | { is: "hear"; wet: boolean; matched: boolean }
  /** Asks to be told when everything so far was taken. */
  | { is: "sync" };

/** What it tells. */
export type Report =
  | { is: "chain"; latency: number }
  | { is: "at"; frame: number; playing: boolean }
  /** By which factors the recording and what the chain makes of it are turned down. */
  | { is: "match"; dry: number; wet: number }
  | { is: "broken"; link: string; reason: string }
  | { is: "synced" };

/** How long the new chain hears what came before, so that its filters and followers have found their place, in seconds. */
const LEAD = 0.1;
/** How long one chain takes to become the other, in seconds: short enough to feel at once, long enough to be no click. */
const FADE = 0.04;
/** Blocks that the new chain runs while one is heard, until it has caught up. */
const CATCHING_UP = 2;
/** How fast levels go where they are to be: about this many seconds. */
const GLIDE = 0.02;
/** Blocks between two reports of where it stands. */
const REPORT = 16;

/** The modules of effects, by the digest of their component. All processors of a context share them. */
const modules = new Map<string, WebAssembly.Module>();

/** Brings modules here: browsers hand them to a new processor, and not to one that is there. */
class Courier extends AudioWorkletProcessor {
  constructor({ processorOptions }: { processorOptions: [string, WebAssembly.Module][] }) {
    super();
    for (const [digest, module] of processorOptions) modules.set(digest, module);
    this.port.postMessage("here");
  }

  process(): boolean {
    return false;
  }
}

registerProcessor("courier", Courier);

class Live extends AudioWorkletProcessor {
  private readonly guests = new Guests(modules);
  private recording: Float32Array[] = [];
  private links: Link[] = [];
  private chain: Chain | null = null;
  /** The chain that takes over, and how many frames of that are done. */
  private next: Chain | null = null;
  private faded = 0;
  /** The chain that is wanted after the next one. */
  private wanted = false;
  private playing = false;
  private at = 0;
  private hears = { wet: true, matched: true };
  private match = new Match(sampleRate);
  private levels: [number, number] = [0, 1];
  private dry: Float32Array[] = [];
  private blocks = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Order>) => this.take(data);
  }

  private tell(report: Report): void {
    this.port.postMessage(report);
  }

  private take(order: Order): void {
    switch (order.is) {
      case "recording":
        this.recording = order.channels;
        this.dry = order.channels.map(() => new Float32Array(BLOCK));
        this.playing = false;
        this.at = 0;
        this.stop();
        break;
      case "chain":
        this.links = order.links;
        this.wanted = true;
        if (!this.playing) {
          this.stop();
          this.reportMatch();
        }
        break;
      case "play":
        this.stop();
        this.at = order.from;
        this.playing = true;
        this.levels = this.aims();
        break;
      case "pause":
        this.playing = false;
        this.report();
        break;
      case "hear":
        this.hears = { wet: order.wet, matched: order.matched };
        this.reportMatch();
        break;
      case "sync":
        this.tell({ is: "synced" });
    }
  }

  /** Ends the chains: the next one begins at once. */
  private stop(): void {
    this.chain?.end();
    this.next?.end();
    this.chain = null;
    this.next = null;
    this.wanted = true;
    this.match.reset();
  }

  private made(from: number): Chain {
    const chain = new Chain(this.recording, this.links, this.guests, sampleRate, Math.max(0, from));
    this.wanted = false;
    this.tell({ is: "chain", latency: chain.latency });
    return chain;
  }

  /** Sees to the chains, and runs the one that is heard for a block. */
  private run(frames: number): Float32Array[] {
    if (this.chain === null) this.chain = this.made(this.at);
    else if (this.wanted && this.next === null) {
      this.next = this.made(this.at - Math.round(LEAD * sampleRate));
      this.faded = 0;
    }
    if (this.next !== null && this.next.at < this.at) {
      for (let i = 0; i < CATCHING_UP && this.next.at < this.at; i += 1) this.next.step(Math.min(BLOCK, this.at - this.next.at));
    }
    const { chain, next } = this;
    chain.next(frames);
    if (next === null || next.at !== this.at) return chain.output;
    next.next(frames);
    const length = Math.round(FADE * sampleRate);
    chain.output.forEach((heard, channel) => {
      const coming = next.output[channel];
      for (let i = 0; i < frames; i += 1) {
        const share = Math.min(1, (this.faded + i) / length);
        heard[i] += share * (coming[i] - heard[i]);
      }
    });
    this.faded += frames;
    if (this.faded >= length) {
      const { output } = chain;
      chain.end();
      this.chain = next;
      this.next = null;
      this.match.reset();
      return output;
    }
    return chain.output;
  }

  /** The levels of the recording and of the chain that are wanted. */
  private aims(): [number, number] {
    const [dry, wet] = this.hears.matched ? this.match.factors() : [1, 1];
    return this.hears.wet ? [0, wet] : [dry, 0];
  }

  private report(): void {
    this.tell({ is: "at", frame: this.at, playing: this.playing });
    this.reportMatch();
  }

  private reportMatch(): void {
    const [dry, wet] = this.hears.matched ? this.match.factors() : [1, 1];
    this.tell({ is: "match", dry, wet });
  }

  process(_: Float32Array[][], [output]: Float32Array[][]): boolean {
    const length = this.recording[0]?.length ?? 0;
    if (!this.playing || output.length === 0) return true;
    const frames = Math.min(BLOCK, output[0].length);
    let heard: Float32Array[];
    try {
      heard = this.run(frames);
    } catch (error) {
      this.playing = false;
      const link = error instanceof Broken ? error.link : "";
      this.tell({ is: "broken", link, reason: error instanceof Error ? error.message : String(error) });
      this.stop();
      return true;
    }
    this.dry.forEach((samples, channel) => {
      const there = this.recording[channel].subarray(this.at, this.at + frames);
      samples.set(there);
      samples.fill(0, there.length);
    });
    this.match.add(this.dry, heard, frames);
    const aims = this.aims();
    const glide = 1 - Math.exp(-1 / (GLIDE * sampleRate));
    let levels = this.levels;
    output.forEach((out, side) => {
      const channel = Math.min(side, heard.length - 1);
      levels = [...this.levels];
      for (let i = 0; i < frames; i += 1) {
        for (const one of [0, 1]) {
          const rest = aims[one] - levels[one];
          levels[one] = Math.abs(rest) < 1e-6 ? aims[one] : levels[one] + glide * rest;
        }
        out[i] = levels[0] * this.dry[channel][i] + levels[1] * heard[channel][i];
      }
    });
    this.levels = levels;
    this.at += frames;
    if (this.at >= length) {
      this.playing = false;
      this.at = 0;
      this.report();
      return true;
    }
    this.blocks += 1;
    if (this.blocks % REPORT === 0) this.report();
    return true;
  }
}

registerProcessor("live", Live);
