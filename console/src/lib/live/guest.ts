// One instance of an effect's module, called as the canonical ABI of the component model has it. The interface is `wit/effect.wit`.

import { CONSTRUCTOR } from "./component";

/** The type of a parameter's value is what says which case of `value` it is. */
export type Value = number | boolean | string;

export interface Config {
  /** In hertz. */
  sampleRate: number;
  /** Channels in, and as many out. */
  channels: number;
  /** The most frames of one call. */
  maxFrames: number;
  settings: Record<string, Value>;
}

/** What randomness repeats: the bytes that the server gives its effects, so that both do the same. */
const RANDOM = Uint8Array.from("not random at al", (letter) => letter.charCodeAt(0));

/** A setting in memory: its name, the case of its value at 8, and the value at 16. */
const SETTING_BYTES = 24;

type Call = (...values: (number | bigint)[]) => number | bigint | undefined;

/** An instance that can make any number of processors. */
export class Guest {
  private readonly exports: Record<string, Call>;
  private readonly memory: WebAssembly.Memory;
  private readonly prefix: string;
  /** What handles of processors stand for; a handle is its place here plus one. */
  private readonly processors: number[] = [];
  private floats = new Float32Array(0);

  constructor(module: WebAssembly.Module) {
    const imports: Record<string, Record<string, Call>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] = this.imported(from, name);
    }
    const { exports } = new WebAssembly.Instance(module, imports);
    this.exports = exports as unknown as Record<string, Call>;
    this.memory = exports.memory as WebAssembly.Memory;
    const constructor = Object.keys(exports).find((name) => CONSTRUCTOR.test(name));
    this.prefix = constructor?.slice(0, constructor.indexOf("#") + 1) ?? "";
    this.exports._initialize?.();
  }

  /** A processor, or the reason why the effect makes none. */
  make({ sampleRate, channels, maxFrames, settings }: Config): Processor {
    const list = Object.entries(settings);
    const place = list.length === 0 ? 8 : this.allocate(list.length * SETTING_BYTES, 8);
    list.forEach(([id, value], i) => {
      const at = place + i * SETTING_BYTES;
      const name = this.text(id);
      const choice = typeof value === "string" ? this.text(value) : null;
      const view = new DataView(this.memory.buffer);
      view.setUint32(at, name.at, true);
      view.setUint32(at + 4, name.bytes, true);
      if (typeof value === "number") {
        view.setUint8(at + 8, 0);
        view.setFloat64(at + 16, value, true);
      } else if (typeof value === "boolean") {
        view.setUint8(at + 8, 1);
        view.setUint8(at + 16, Number(value));
      } else {
        view.setUint8(at + 8, 2);
        view.setUint32(at + 16, choice?.at ?? 0, true);
        view.setUint32(at + 20, choice?.bytes ?? 0, true);
      }
    });
    const answer = this.call("[constructor]processor", sampleRate, channels, channels, maxFrames, place, list.length);
    const view = new DataView(this.memory.buffer);
    const isRefused = view.getUint8(answer) !== 0;
    const [first, second] = [view.getUint32(answer + 4, true), view.getUint32(answer + 8, true)];
    const reason = isRefused ? text(new Uint8Array(this.memory.buffer, first, second)) : "";
    this.done("[constructor]processor", answer);
    if (isRefused) throw new Error(reason);
    return new Processor(this, this.processors[first - 1]);
  }

  /** Calls a function of the interface that answers with a number or with the place of something. */
  call(name: string, ...values: number[]): number {
    return Number(this.exports[this.prefix + name](...values) ?? 0);
  }

  /** Gives back what an answer lies in. */
  done(name: string, answer: number): void {
    this.exports[`cabi_post_${this.prefix}${name}`]?.(answer);
  }

  /** Memory that the next call takes over. */
  allocate(bytes: number, align: number): number {
    return Number(this.exports.cabi_realloc(0, 0, align, bytes));
  }

  /** The memory as samples. */
  samples(): Float32Array {
    // A memory that has grown is another one.
    if (this.floats.buffer !== this.memory.buffer) this.floats = new Float32Array(this.memory.buffer);
    return this.floats;
  }

  /** Two numbers in memory. */
  pair(at: number): [number, number] {
    const view = new DataView(this.memory.buffer);
    return [view.getUint32(at, true), view.getUint32(at + 4, true)];
  }

  private text(words: string): { at: number; bytes: number } {
    const bytes = utf8(words);
    if (bytes.length === 0) return { at: 1, bytes: 0 };
    const at = this.allocate(bytes.length, 1);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return { at, bytes: bytes.length };
  }

  /** What the module is given: the table of its processors, and the little of WASI that a language's start asks for. Anything else ends it,
   * as an effect needs nothing. */
  private imported(from: string, name: string): Call {
    const bytes = (at: number | bigint, count: number) => new Uint8Array(this.memory.buffer, Number(at), count);
    const nothing = (count: number) => (at: number | bigint) => void bytes(at, count).fill(0);
    if (name === "[resource-new]processor") return (rep) => this.processors.push(Number(rep));
    if (name === "[resource-rep]processor") return (handle) => this.processors[Number(handle) - 1];
    if (name.startsWith("[resource-drop]")) return () => undefined;
    let drawn = 0;
    const fill = (all: Uint8Array) => {
      for (let i = 0; i < all.length; i += 1) all[i] = RANDOM[drawn++ % RANDOM.length];
      return all;
    };
    switch (`${from.replace(/@.*/, "")} ${name}`) {
      case "wasi:random/insecure-seed insecure-seed":
        return (at) => void bytes(at, RANDOM.length).set(RANDOM);
      case "wasi:random/random get-random-u64":
      case "wasi:random/insecure get-insecure-random-u64":
        return () => new DataView(fill(new Uint8Array(8)).buffer).getBigUint64(0, true);
      case "wasi_snapshot_preview1 random_get":
        return (at, count) => {
          fill(bytes(at, Number(count)));
          return 0;
        };
      case "wasi:cli/environment get-environment":
      case "wasi:cli/environment get-arguments":
        return nothing(8);
      case "wasi:clocks/wall-clock now":
        return nothing(16);
      case "wasi:clocks/monotonic-clock now":
        return () => 0n;
      case "wasi_snapshot_preview1 environ_sizes_get":
      case "wasi_snapshot_preview1 args_sizes_get":
        return (count, size) => {
          nothing(4)(count);
          nothing(4)(size);
          return 0;
        };
      case "wasi_snapshot_preview1 environ_get":
      case "wasi_snapshot_preview1 args_get":
        return () => 0;
      default:
        return () => {
          throw new Error(`the effect asked for ${from} ${name}`);
        };
    }
  }
}

/** A processor: a stream of sound through the effect. */
export class Processor {
  constructor(
    private readonly guest: Guest,
    private readonly self: number,
  ) {}

  /** Frames by which what comes out lags behind what goes in. */
  latency(): number {
    return this.guest.call("[method]processor.latency", this.self);
  }

  /** Sends frames through it, channel after channel in one array, in place. */
  process(planar: Float32Array): void {
    const at = this.guest.allocate(planar.byteLength, 4);
    this.guest.samples().set(planar, at / 4);
    const answer = this.guest.call("[method]processor.process", this.self, at, planar.length);
    const [place, count] = this.guest.pair(answer);
    if (count !== planar.length) throw new Error(`${count} samples for ${planar.length}`);
    planar.set(this.guest.samples().subarray(place / 4, place / 4 + count));
    this.guest.done("[method]processor.process", answer);
  }

  end(): void {
    this.guest.call("[dtor]processor", this.self);
  }
}

/** UTF-8, which worklets have no encoder for. */
function utf8(words: string): Uint8Array {
  const escaped = encodeURIComponent(words).replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Uint8Array.from(escaped, (letter) => letter.charCodeAt(0));
}

function text(bytes: Uint8Array): string {
  return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
}
