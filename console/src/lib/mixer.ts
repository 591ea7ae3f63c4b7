// Stems that play in step: all begin at one moment of one clock, so that nothing can drift.
import { signal } from "@preact/signals";
import { factors, type Strip } from "./mix";
import { wake } from "./sound";

/** How long a change of level takes, in seconds: none is heard as a click. */
const FADE = 0.01;
/** How far ahead all stems are told to begin, in seconds. */
const AHEAD = 0.05;

export interface Loop {
  from: number;
  to: number;
}

interface Running {
  source: AudioBufferSourceNode;
  sides: [GainNode, GainNode];
}

export class Mixer {
  readonly position = signal(0);
  readonly playing = signal(false);
  readonly loop = signal<Loop | null>(null);
  private buffers: AudioBuffer[] = [];
  private strips: Strip[] = [];
  private running: Running[] = [];
  private began = 0;
  private offset = 0;
  private frame = 0;
  private context: BaseAudioContext | null = null;

  /** `wakes` gives the context that the stems sound in, once it may sound. */
  constructor(private readonly wakes: () => Promise<BaseAudioContext> = wake) {}

  get duration(): number {
    return Math.max(0, ...this.buffers.map((buffer) => buffer.duration));
  }

  set(buffers: AudioBuffer[], strips: Strip[]): void {
    this.pause();
    this.buffers = buffers;
    this.strips = strips;
    this.position.value = Math.min(this.position.value, this.duration);
  }

  /** Changes what is done to the stems, while they play. */
  change(strips: Strip[]): void {
    this.strips = strips;
    if (this.running.length === 0 || this.context === null) return;
    const now = this.context.currentTime;
    factors(strips).forEach((levels, at) => {
      this.running[at]?.sides.forEach((gain, side) => gain.gain.setTargetAtTime(levels[side], now, FADE / 3));
    });
  }

  async play(): Promise<void> {
    const context = await this.wakes();
    this.context = context;
    this.halt();
    if (this.buffers.length === 0) return;
    if (this.position.value >= this.duration - 0.02) this.position.value = 0;
    const loop = this.loop.value;
    if (loop !== null && (this.position.value < loop.from || this.position.value >= loop.to)) this.position.value = loop.from;
    this.offset = this.position.value;
    this.began = context.currentTime + AHEAD;
    const levels = factors(this.strips);
    this.running = this.buffers.map((buffer, at) => {
      const source = context.createBufferSource();
      source.buffer = buffer;
      if (loop !== null) {
        source.loop = true;
        source.loopStart = loop.from;
        source.loopEnd = loop.to;
      }
      const split = context.createChannelSplitter(2);
      const joined = context.createChannelMerger(2);
      source.connect(split);
      const sides = [0, 1].map((side) => {
        const gain = context.createGain();
        gain.gain.value = levels[at][side];
        split.connect(gain, Math.min(side, buffer.numberOfChannels - 1));
        gain.connect(joined, 0, side);
        return gain;
      }) as [GainNode, GainNode];
      joined.connect(context.destination);
      source.start(this.began, this.offset);
      return { source, sides };
    });
    this.playing.value = true;
    this.tick();
  }

  pause(): void {
    this.halt();
    this.playing.value = false;
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else void this.play();
  }

  seek(seconds: number): void {
    this.position.value = Math.min(this.duration, Math.max(0, seconds));
    if (this.playing.value) void this.play();
  }

  repeat(loop: Loop | null): void {
    this.loop.value = loop === null || loop.to - loop.from < 0.05 ? null : loop;
    if (this.playing.value) void this.play();
  }

  private tick = (): void => {
    const played = Math.max(0, (this.context?.currentTime ?? 0) - this.began);
    const loop = this.loop.value;
    let at = this.offset + played;
    if (loop !== null && at >= loop.to) at = loop.from + ((at - loop.from) % (loop.to - loop.from));
    if (at >= this.duration) {
      this.pause();
      this.position.value = 0;
      return;
    }
    this.position.value = at;
    this.frame = requestAnimationFrame(this.tick);
  };

  private halt(): void {
    cancelAnimationFrame(this.frame);
    for (const { source } of this.running) {
      source.stop();
      source.disconnect();
    }
    this.running = [];
  }
}
