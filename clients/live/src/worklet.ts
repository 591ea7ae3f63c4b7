// What runs in the audio thread: the buffer between the network and the ear, and the two nodes of the Web Audio API. One file without
// imports, so that every bundler and every server can hand it out as it is. Outside of an audio thread it is only the buffer.

/** How long sound may wait so that what comes late is still in time, in milliseconds. */
const LEAST_TARGET_MS = 40;
const MOST_TARGET_MS = 120;
/** By how much more it waits where sound was late, and once more after a gap, and by how much less when all was well for `CALM_MS`. */
const MORE_MS = 10;
const LESS_MS = 10;
const CALM_MS = 10_000;
/** How often it is looked at how little was left: some blocks of the server's. */
const WINDOW_MS = 500;
/** How far what was left may lie beside the target before something is done about it, and from where on it is done at once. */
const SLACK_MS = 15;
const FAR_MS = 60;
/** How much is left out or repeated at a time, in one window: 2 % of the time, which nobody hears. */
const STEP_MS = 10;
/** Fades where something is left out or repeated, and at the ends of a gap. */
const FADE_MS = 5;
/**
 * How much is repeated where sound is late: as much as is most like what should come, between these. So a vowel goes on in its own pitch,
 * as telephones over the internet have it (WSOLA; Verhelst and Roelands, 1993).
 */
const LEAST_LIKE_MS = 8;
const MOST_LIKE_MS = 16;
/** How long that is done for one piece that is late; what is later leaves a gap. */
const BRIDGE_MS = 60;
/** The most that is kept. */
const MOST_MS = 1_000;
/** What was played and is still there, for repeating and hiding. */
const PAST_MS = 30;

export interface PlayoutStats {
  /** What waits, in milliseconds. */
  levelMs: number;
  /** How long the sound that came last waits until its end is heard, in milliseconds. */
  waitMs: number;
  /** What has to be left when the next sound comes, in milliseconds. */
  targetMs: number;
  /** Gaps. */
  underruns: number;
  /** How long they were altogether. */
  gapMs: number;
  /** What was repeated because sound was late, instead of a gap. */
  bridgedMs: number;
  /** What was left out to be in time again. */
  skippedMs: number;
  /** Whether sound comes out. */
  isPlaying: boolean;
}

/** The buffer. It plays as soon as it may, waits longer where sound comes late, and hides what is missing. */
export class Playout {
  private readonly ring: Float32Array;
  /** Samples that have come and that were played, since the start. */
  private written = 0;
  private read = 0;
  private target: number;
  private isPlaying = false;
  /** Samples until it plays: counted from the first sound after a gap. */
  private delay: number | null = null;
  private hasPlayed = false;
  private isOver = false;
  private least = Infinity;
  private windowLeft: number;
  private calm = 0;
  private wait = 0;
  private underruns = 0;
  private gap = 0;
  private skipped = 0;
  private bridged = 0;
  /** How much may still be repeated until new sound comes. */
  private bridge: number;
  /** Where what is faded out is read, how much of the fade is done, and in which way. */
  private from = 0;
  private faded: number;
  private fade: "none" | "across" | "in" | "out" = "none";
  private readonly samples: (ms: number) => number;

  constructor(readonly sampleRate: number) {
    this.samples = (ms) => Math.round((ms / 1000) * sampleRate);
    this.ring = new Float32Array(this.samples(MOST_MS + PAST_MS));
    this.target = this.samples(LEAST_TARGET_MS);
    this.windowLeft = this.samples(WINDOW_MS);
    this.bridge = this.samples(BRIDGE_MS);
    this.faded = 0;
  }

  /** Takes sound that has come. */
  push(sound: Float32Array): void {
    this.bridge = this.samples(BRIDGE_MS);
    const most = this.samples(MOST_MS);
    const tooMuch = this.level + sound.length - most;
    if (tooMuch > 0) this.leaveOut(tooMuch + most - this.target);
    for (const sample of sound.length > most ? sound.subarray(sound.length - most) : sound) {
      this.ring[this.written % this.ring.length] = sample;
      this.written += 1;
    }
    if (!this.isPlaying) this.delay ??= this.target;
    this.wait = this.level + (this.delay ?? 0);
  }

  /** No more will come: what is there is played to its end, which is no gap. */
  end(): void {
    this.isOver = true;
  }

  /** Fills `out` with what is heard next. */
  pull(out: Float32Array): void {
    for (let i = 0; i < out.length; i += 1) out[i] = this.next();
    if (this.isPlaying) this.watch(out.length);
  }

  get stats(): PlayoutStats {
    const ms = (samples: number) => (samples / this.sampleRate) * 1000;
    return {
      levelMs: ms(this.level),
      waitMs: ms(this.wait),
      targetMs: ms(this.target),
      underruns: this.underruns,
      gapMs: ms(this.gap),
      bridgedMs: ms(this.bridged),
      skippedMs: ms(this.skipped),
      isPlaying: this.isPlaying,
    };
  }

  private get level(): number {
    return this.written - this.read;
  }

  private at(place: number): number {
    return place < 0 ? 0 : (this.ring[place % this.ring.length] ?? 0);
  }

  private next(): number {
    if (!this.isPlaying) {
      if (this.delay !== null) {
        this.delay -= 1;
        if (this.delay <= 0) this.start();
      }
      if (!this.isPlaying) return this.hidden();
    }
    // Later there is too little left to fade out of.
    if (this.level === this.samples(FADE_MS) && this.fade === "none") this.repeat();
    if (this.level === 0) {
      this.starve();
      return this.hidden();
    }
    const sample = this.at(this.read);
    this.read += 1;
    if (this.fade === "none") return sample;
    const share = Math.min(1, this.faded / this.samples(FADE_MS));
    const old = this.fade === "across" ? this.at(this.from + this.faded) : 0;
    this.faded += 1;
    if (share === 1) this.fade = "none";
    return old + share * (sample - old);
  }

  private start(): void {
    this.isPlaying = true;
    this.hasPlayed = true;
    this.delay = null;
    this.fade = "in";
    this.faded = 0;
    // A whole window: one that is shorter than a block of the server's would take all of the block for more than is needed.
    this.least = Infinity;
    this.windowLeft = this.samples(WINDOW_MS);
  }

  /** Little is left: it goes back to where sound was most like what is left. */
  private repeat(): void {
    const most = this.samples(MOST_LIKE_MS);
    if (this.isOver || this.bridge < most || this.read < most) return;
    if (this.bridge === this.samples(BRIDGE_MS)) this.wasLate();
    const lag = this.likest();
    this.bridge -= lag;
    this.bridged += lag;
    this.jump(-lag);
  }

  /** How many samples ago sound was most like what is played next. */
  private likest(): number {
    const length = this.samples(FADE_MS);
    const most = this.samples(MOST_LIKE_MS);
    let likest = this.samples(LEAST_LIKE_MS);
    let highest = -Infinity;
    // Every second sample: pitch is far below.
    for (let lag = likest; lag <= most; lag += 2) {
      let product = 0;
      let power = 1e-9;
      for (let i = 0; i < length; i += 2) {
        const before = this.at(this.read - lag + i);
        product += before * this.at(this.read + i);
        power += before * before;
      }
      const likeness = product / Math.sqrt(power);
      if (likeness > highest) [likest, highest] = [lag, likeness];
    }
    return likest;
  }

  /** Nothing is left. */
  private starve(): void {
    this.isPlaying = false;
    this.fade = "out";
    this.faded = 0;
    this.from = this.read - 1;
    this.least = Infinity;
    if (this.isOver) return;
    this.underruns += 1;
    this.wasLate();
  }

  private wasLate(): void {
    this.calm = 0;
    this.target = Math.min(this.samples(MOST_TARGET_MS), this.target + this.samples(MORE_MS));
  }

  /** What is heard in a gap: what was played last, backwards and fading, so that there is no step; then silence. */
  private hidden(): number {
    if (this.hasPlayed && !this.isOver) this.gap += 1;
    if (this.fade !== "out") return 0;
    const share = 1 - this.faded / this.samples(FADE_MS * 2);
    if (share <= 0) {
      this.fade = "none";
      return 0;
    }
    const sample = this.at(this.from - this.faded);
    this.faded += 1;
    return share * sample;
  }

  /** Keeps what is left just before new sound comes near the target. */
  private watch(frames: number): void {
    this.least = Math.min(this.least, this.level);
    this.calm += frames;
    if (this.calm >= this.samples(CALM_MS)) {
      this.calm = 0;
      this.target = Math.max(this.samples(LEAST_TARGET_MS), this.target - this.samples(LESS_MS));
    }
    this.windowLeft -= frames;
    if (this.windowLeft > 0) return;
    this.windowLeft = this.samples(WINDOW_MS);
    const beside = this.least - this.target;
    this.least = Infinity;
    if (this.isOver || !Number.isFinite(beside)) return;
    const step = this.samples(STEP_MS);
    if (beside > this.samples(FAR_MS)) this.leaveOut(beside);
    else if (beside > this.samples(SLACK_MS)) this.leaveOut(Math.min(beside, step));
    else if (beside < -this.samples(SLACK_MS)) this.jump(-step);
  }

  private leaveOut(samples: number): void {
    const count = Math.min(samples, this.level);
    this.skipped += count;
    this.jump(count);
  }

  /** Goes on elsewhere, with a fade from where it was. */
  private jump(samples: number): void {
    this.from = this.read;
    this.read = Math.max(0, this.read + samples);
    this.fade = this.isPlaying ? "across" : this.fade;
    this.faded = this.isPlaying ? 0 : this.faded;
  }
}

/** How loud something is: the largest sample, and the root of the mean of squares; 0 to 1. */
export interface Level {
  peak: number;
  rms: number;
}

/** What the nodes tell the page. */
export type FromCapture = { is: "sound"; samples: Float32Array<ArrayBuffer> } | ({ is: "level" } & Level);
export type FromPlayout = { is: "level" } & Level & PlayoutStats;
export type ToPlayout = { is: "sound"; samples: Float32Array<ArrayBuffer> } | { is: "end" };

/** Names under which the nodes are made. */
export const CAPTURE = "vocalhost-live-capture";
export const PLAYOUT = "vocalhost-live-playout";

/** Levels a second: each has the page draw something. */
const REPORTS = 10;
/** Pieces of what is heard, a second: 20 ms. */
const PIECES = 50;

class Meter {
  private peak = 0;
  private power = 0;
  private frames = 0;

  constructor(private readonly every: number) {}

  /** The level, once there was enough sound for one. */
  add(samples: Float32Array): Level | undefined {
    for (const sample of samples) {
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.power += sample * sample;
    }
    this.frames += samples.length;
    if (this.frames < this.every) return undefined;
    const level = { peak: this.peak, rms: Math.sqrt(this.power / this.frames) };
    this.peak = this.power = this.frames = 0;
    return level;
  }
}

// What an AudioWorkletGlobalScope has beside a window's types (Web Audio API, 1.32).
declare const sampleRate: number;
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

function register(): void {
  class Capture extends AudioWorkletProcessor {
    private readonly meter = new Meter(sampleRate / REPORTS);
    private piece = new Float32Array(Math.round(sampleRate / PIECES));
    private filled = 0;

    process([input]: Float32Array[][]): boolean {
      const samples = input?.[0];
      if (samples === undefined) return true;
      for (const sample of samples) {
        this.piece[this.filled] = sample;
        this.filled += 1;
        if (this.filled === this.piece.length) this.pass();
      }
      const level = this.meter.add(samples);
      if (level !== undefined) this.port.postMessage({ is: "level", ...level } satisfies FromCapture);
      return true;
    }

    private pass(): void {
      const { piece } = this;
      this.port.postMessage({ is: "sound", samples: piece } satisfies FromCapture, [piece.buffer]);
      this.piece = new Float32Array(Math.round(sampleRate / PIECES));
      this.filled = 0;
    }
  }

  class Player extends AudioWorkletProcessor {
    private readonly meter = new Meter(sampleRate / REPORTS);
    private readonly playout = new Playout(sampleRate);

    constructor() {
      super();
      this.port.onmessage = ({ data }: MessageEvent<ToPlayout>) => {
        if (data.is === "sound") this.playout.push(data.samples);
        else this.playout.end();
      };
    }

    process(_: Float32Array[][], [output]: Float32Array[][]): boolean {
      const [first, ...others] = output ?? [];
      if (first === undefined) return true;
      this.playout.pull(first);
      for (const channel of others) channel.set(first);
      const level = this.meter.add(first);
      if (level !== undefined) this.port.postMessage({ is: "level", ...level, ...this.playout.stats } satisfies FromPlayout);
      return true;
    }
  }

  registerProcessor(CAPTURE, Capture);
  registerProcessor(PLAYOUT, Player);
}

if (typeof registerProcessor === "function") register();
