// The binary messages of a live conversion: PCM with a short head, all numbers little-endian. Nothing here needs a network or a browser.

/** How samples lie in a message: whole numbers of 16 bits, or floats of 32. */
export type SampleFormat = "s16le" | "f32le";

/** Bytes before the sound of a message to the server: its number and the clock. */
const HEAD_UP = 8;
/** Bytes before the sound of a message from the server: number, clock, place. */
const HEAD_DOWN = 16;

/** The shortest and the longest sound that a message may have, in milliseconds, and how long it is without a reason for another length. */
export const SHORTEST_MS = 10;
export const LONGEST_MS = 100;
export const USUAL_MS = 20;

/** Bytes that a message to the server may have. */
export const MOST_BYTES = 65_536;

const WRAP = 2 ** 32;

/** Sound from the server. */
export interface SoundFrame {
  /** The number of the message, from 0. */
  seq: number;
  /** The clock (milliseconds, as it was sent along) of the last message to the server whose sound is all in here. */
  clock: number;
  /** Where the sound stands: samples since the start, time that was dropped among them. */
  firstFrame: number;
  /** From -1 to 1. */
  samples: Float32Array<ArrayBuffer>;
}

/** Something that is no message of a live conversion. */
export class BadFrame extends Error {
  override name = "BadFrame";
}

export function bytesPerSample(format: SampleFormat): number {
  return format === "s16le" ? 2 : 4;
}

/** A message to the server. `clock` is in milliseconds, and may be of any size: the server gives back its lowest 32 bits. */
export function encodeFrame(seq: number, clock: number, samples: Float32Array, format: SampleFormat): ArrayBuffer {
  const width = bytesPerSample(format);
  const length = HEAD_UP + samples.length * width;
  if (length > MOST_BYTES) throw new BadFrame(`a message of ${length} bytes; ${MOST_BYTES} are the most`);
  const message = new ArrayBuffer(length);
  const view = new DataView(message);
  view.setUint32(0, seq % WRAP, true);
  view.setUint32(4, Math.floor(clock) % WRAP, true);
  for (let i = 0; i < samples.length; i += 1) {
    const at = HEAD_UP + i * width;
    const sample = samples[i] ?? 0;
    if (format === "f32le") view.setFloat32(at, sample, true);
    else view.setInt16(at, toInt16(sample), true);
  }
  return message;
}

/** What a message from the server says. */
export function decodeFrame(message: ArrayBuffer, format: SampleFormat): SoundFrame {
  const width = bytesPerSample(format);
  const size = message.byteLength - HEAD_DOWN;
  if (size < 0 || size % width !== 0) throw new BadFrame(`${message.byteLength} bytes are no sound in ${format}`);
  const view = new DataView(message);
  const samples = new Float32Array(size / width);
  for (let i = 0; i < samples.length; i += 1) {
    const at = HEAD_DOWN + i * width;
    samples[i] = format === "f32le" ? view.getFloat32(at, true) : view.getInt16(at, true) / 32_768;
  }
  // Exact up to 2^53: thousands of years of sound.
  return { seq: view.getUint32(0, true), clock: view.getUint32(4, true), firstFrame: Number(view.getBigUint64(8, true)), samples };
}

/** A sample as 16 bits, what is louder than full scale limited to it. */
export function toInt16(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
}

/** Milliseconds from `earlier` to `later`, two clocks of 32 bits of which the second may have begun anew. */
export function elapsed(earlier: number, later: number): number {
  return (((Math.floor(later) - earlier) % WRAP) + WRAP) % WRAP;
}

/** Cuts sound that comes in any pieces into pieces of one length. */
export class Cutter {
  private piece: Float32Array<ArrayBuffer>;
  private filled = 0;

  /** `length` in samples. */
  constructor(readonly length: number) {
    this.piece = new Float32Array(length);
  }

  /** Takes sound, and calls `whole` with each piece that is complete; the piece is the caller's. */
  add(samples: Float32Array, whole: (piece: Float32Array<ArrayBuffer>) => void): void {
    for (let from = 0; from < samples.length; ) {
      const count = Math.min(samples.length - from, this.length - this.filled);
      this.piece.set(samples.subarray(from, from + count), this.filled);
      this.filled += count;
      from += count;
      if (this.filled === this.length) {
        const piece = this.piece;
        this.piece = new Float32Array(this.length);
        this.filled = 0;
        whole(piece);
      }
    }
  }

  /** What is left, with silence up to `least` samples behind it; undefined where nothing is. */
  rest(least: number): Float32Array<ArrayBuffer> | undefined {
    if (this.filled === 0) return undefined;
    const rest = new Float32Array(Math.max(this.filled, least));
    rest.set(this.piece.subarray(0, this.filled));
    this.filled = 0;
    return rest;
  }
}
