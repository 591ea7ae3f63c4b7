// The sum of stems, as it is heard and as it is exported.

/** What is done to a stem. */
export interface Strip {
  /** In decibels. */
  gain: number;
  /** -1 is left, 0 the middle, 1 right. */
  pan: number;
  muted: boolean;
  solo: boolean;
}

export const PLAIN: Strip = { gain: 0, pan: 0, muted: false, solo: false };

/** The factors of the left and the right channel for each stem. Where one is solo, only those that are solo are heard. */
export function factors(strips: Strip[]): [number, number][] {
  const alone = strips.some((strip) => strip.solo);
  return strips.map(({ gain, pan, muted, solo }) => {
    const heard = alone ? solo : !muted;
    const level = heard ? 10 ** (gain / 20) : 0;
    // A balance, not a panorama: in the middle both channels are left as they are, so that untouched stems add up to the recording.
    return [level * Math.min(1, 1 - pan), level * Math.min(1, 1 + pan)];
  });
}

/** Two channels: the sum of the stems' samples, each times its factor. A stem of one channel is in both. */
export function mixdown(stems: Float32Array[][], strips: Strip[]): [Float32Array, Float32Array] {
  const frames = Math.max(0, ...stems.map((channels) => channels[0]?.length ?? 0));
  const mix: [Float32Array, Float32Array] = [new Float32Array(frames), new Float32Array(frames)];
  const levels = factors(strips);
  // In double precision: a sum of rounded sums would be another one for another order.
  const sum = new Float64Array(frames);
  for (const side of [0, 1] as const) {
    sum.fill(0);
    stems.forEach((channels, at) => {
      const level = levels[at][side];
      const samples = channels[Math.min(side, channels.length - 1)];
      if (level === 0 || samples === undefined) return;
      for (let frame = 0; frame < samples.length; frame += 1) sum[frame] += samples[frame] * level;
    });
    mix[side].set(sum);
  }
  return mix;
}
