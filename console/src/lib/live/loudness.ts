// Loudness while playing, to compare two sounds at the same one: K-weighted energy (ITU-R BS.1770-5), without gates but the absolute one.

/** A second-order filter in transposed direct form II. */
class Biquad {
  private s1 = 0;
  private s2 = 0;

  constructor(
    private readonly b: readonly [number, number, number],
    private readonly a: readonly [number, number],
  ) {}

  run(x: number): number {
    const y = this.b[0] * x + this.s1;
    this.s1 = this.b[1] * x - this.a[0] * y + this.s2;
    this.s2 = this.b[2] * x - this.a[1] * y;
    return y;
  }
}

/** The two filters of the weighting at any rate: the analogue prototypes of the ones that the recommendation gives for 48 kHz (Mansbridge, Finn,
 * Reiss: "Implementation and Evaluation of Autonomous Multi-track Fader Control", 2012). */
function weighting(rate: number): [Biquad, Biquad] {
  let k = Math.tan((Math.PI * 1681.974450955533) / rate);
  let q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const mid = high ** 0.4996667741545416;
  let norm = 1 + k / q + k * k;
  const shelf = new Biquad(
    [(high + (mid * k) / q + k * k) / norm, (2 * (k * k - high)) / norm, (high - (mid * k) / q + k * k) / norm],
    [(2 * (k * k - 1)) / norm, (1 - k / q + k * k) / norm],
  );
  k = Math.tan((Math.PI * 38.13547087602444) / rate);
  q = 0.5003270373238773;
  norm = 1 + k / q + k * k;
  return [shelf, new Biquad([1, -2, 1], [(2 * (k * k - 1)) / norm, (1 - k / q + k * k) / norm])];
}

/** Mean square of a block at -70 LUFS: what is softer says nothing about loudness. */
const GATE = 10 ** ((-70 + 0.691) / 10);

/** The energy of a sound so far. */
export class Meter {
  /** K-weighted mean squares of the blocks, all channels added up. */
  energy = 0;
  private filters: [Biquad, Biquad][] = [];

  constructor(private readonly rate: number) {}

  /** The weighted mean square of a block. */
  block(channels: Float32Array[], frames: number): number {
    let sum = 0;
    channels.forEach((samples, channel) => {
      const [shelf, pass] = (this.filters[channel] ??= weighting(this.rate));
      for (let i = 0; i < frames; i += 1) sum += pass.run(shelf.run(samples[i])) ** 2;
    });
    return frames === 0 ? 0 : sum / frames;
  }
}

/** Says by how much each of two sounds is turned down so that both are as loud as the softer one. */
export class Match {
  private readonly dry: Meter;
  private readonly wet: Meter;

  constructor(rate: number) {
    this.dry = new Meter(rate);
    this.wet = new Meter(rate);
  }

  /** Begins anew: the chain is another one. */
  reset(): void {
    this.dry.energy = 0;
    this.wet.energy = 0;
  }

  add(dry: Float32Array[], wet: Float32Array[], frames: number): void {
    const [before, after] = [this.dry.block(dry, frames), this.wet.block(wet, frames)];
    if (before < GATE || after < GATE) return;
    this.dry.energy += before * frames;
    this.wet.energy += after * frames;
  }

  /** Factors of the recording and of what the chain makes of it. */
  factors(): [number, number] {
    const { dry, wet } = this;
    if (dry.energy === 0 || wet.energy === 0) return [1, 1];
    const ratio = Math.sqrt(wet.energy / dry.energy);
    return [Math.min(1, ratio), Math.min(1, 1 / ratio)];
  }
}
