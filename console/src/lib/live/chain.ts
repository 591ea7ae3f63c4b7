// A chain of effects over a recording, aligned as the server's is: frame for frame what comes out belongs to what goes in.
import { Guest, type Processor, type Value } from "./guest";

/** One effect of a chain, as the worklet gets it. */
export interface Link {
  /** Which component it is. */
  digest: string;
  name: string;
  /** Channels in and out, best first; none for any number. */
  layouts: { inputs: number; outputs: number }[];
  settings: Record<string, Value>;
}

/** An effect that cannot go on. */
export class Broken extends Error {
  constructor(
    readonly link: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause));
  }
}

/** Frames that go through at once: what a worklet is asked for. */
export const BLOCK = 128;

/** Far below any sound, and above what processors compute slowly with: the server switches such numbers off, a browser cannot. */
const NEAR_SILENCE = 1e-20;

/** The instances of effects, by their digest; each makes any number of processors. */
export class Guests {
  private readonly running = new Map<string, Guest>();

  constructor(private readonly modules: ReadonlyMap<string, WebAssembly.Module>) {}

  of(digest: string): Guest {
    let guest = this.running.get(digest);
    if (guest === undefined) {
      guest = new Guest(this.modules.get(digest) as WebAssembly.Module);
      this.running.set(digest, guest);
    }
    return guest;
  }

  /** Forgets an instance that failed: another one is made when it is needed again. */
  drop(digest: string): void {
    this.running.delete(digest);
  }
}

interface Lane {
  processor: Processor;
  /** The channels of the stream; one alone goes into both of an effect that takes two. */
  channels: number[];
  planar: Float32Array;
}

/** One effect, its lag taken off the front. */
class Stage {
  private readonly lanes: Lane[] = [];
  private toDrop = 0;
  /** Where its aligned output stands. */
  private at: number;
  readonly latency: number;

  constructor(
    readonly link: Link,
    guests: Guests,
    channels: number,
    sampleRate: number,
    from: number,
  ) {
    const runs = (count: number) => link.layouts.length === 0 || link.layouts.some(({ inputs, outputs }) => inputs === count && outputs === count);
    const width = [channels, 1, 2].find(runs);
    if (width === undefined) throw new Error(`not for ${channels} channels`);
    for (let first = 0; first < channels; first += width) {
      const lane = Array.from({ length: Math.min(width, channels - first) }, (_, i) => first + i);
      const config = { sampleRate, channels: width, maxFrames: BLOCK, settings: link.settings };
      this.lanes.push({ processor: guests.of(link.digest).make(config), channels: lane, planar: new Float32Array(width * BLOCK) });
    }
    this.latency = this.lanes[0].processor.latency();
    this.toDrop = this.latency;
    this.at = from;
  }

  /** Sends `frames` frames through; how many came out, from the front of `block` on. Behind `end` the sound is silent. */
  run(block: Float32Array[], frames: number, end: number): number {
    for (const { processor, channels, planar } of this.lanes) {
      const width = planar.length / BLOCK;
      const used = planar.subarray(0, width * frames);
      for (let i = 0; i < width; i += 1) used.set(block[channels[Math.min(i, channels.length - 1)]].subarray(0, frames), i * frames);
      processor.process(used);
      for (let i = 0; i < used.length; i += 1) if (!Number.isFinite(used[i])) throw new Error("a sample that is no number");
      channels.forEach((channel, i) => {
        const out = block[channel];
        if (channels.length === width) out.set(used.subarray(i * frames, (i + 1) * frames));
        else for (let frame = 0; frame < frames; frame += 1) out[frame] = 0.5 * (used[frame] + used[frames + frame]);
      });
    }
    const dropped = Math.min(this.toDrop, frames);
    this.toDrop -= dropped;
    const left = frames - dropped;
    const silentFrom = Math.max(0, end - this.at);
    for (const channel of block) {
      if (dropped > 0) channel.copyWithin(0, dropped, frames);
      if (silentFrom < left) channel.fill(0, silentFrom, left);
    }
    this.at += left;
    return left;
  }

  end(): void {
    for (const { processor } of this.lanes) processor.end();
  }
}

/** A chain that runs over a recording from some frame on. */
export class Chain {
  /** The frame of the recording that comes next. */
  at: number;
  /** Frames of the output that are ready, channel by channel. */
  readonly output: Float32Array[];
  private readonly stages: Stage[] = [];
  private fed: number;

  constructor(
    private readonly recording: Float32Array[],
    links: Link[],
    private readonly guests: Guests,
    sampleRate: number,
    from: number,
  ) {
    this.at = from;
    this.fed = from;
    this.output = recording.map(() => new Float32Array(BLOCK));
    for (const link of links) {
      try {
        this.stages.push(new Stage(link, guests, recording.length, sampleRate, from));
      } catch (error) {
        this.end();
        guests.drop(link.digest);
        throw new Broken(link.name, error);
      }
    }
  }

  /** Frames by which all of it lags together. */
  get latency(): number {
    return this.stages.reduce((sum, stage) => sum + stage.latency, 0);
  }

  /** Feeds up to `frames` frames of the recording; how many came out. */
  step(frames: number): number {
    const length = this.recording[0].length;
    const lag = this.latency - (this.fed - this.at);
    let count = Math.min(frames, BLOCK, lag > 0 ? lag : BLOCK);
    this.recording.forEach((samples, channel) => {
      const piece = this.output[channel].subarray(0, count);
      const there = samples.subarray(Math.min(this.fed, length), Math.min(this.fed + count, length));
      piece.set(there);
      piece.fill(0, there.length);
      for (let i = 0; i < count; i += 1) if (piece[i] === 0) piece[i] = i % 3 === 0 ? NEAR_SILENCE : -NEAR_SILENCE / 2;
    });
    this.fed += count;
    for (const stage of this.stages) {
      if (count === 0) break;
      try {
        count = stage.run(this.output, count, length);
      } catch (error) {
        this.guests.drop(stage.link.digest);
        throw new Broken(stage.link.name, error);
      }
    }
    this.at += count;
    return count;
  }

  /** The next `frames` frames into `output`. */
  next(frames: number): void {
    while (this.fed - this.at < this.latency) this.step(BLOCK);
    this.step(frames);
  }

  end(): void {
    for (const stage of this.stages) {
      try {
        stage.end();
      } catch {
        // Its instance is broken, and goes with it.
      }
    }
  }
}
