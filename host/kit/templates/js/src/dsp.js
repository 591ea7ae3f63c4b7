// The sound of the effect, free of any interface: numbers in, numbers out.
//
// A ring modulator multiplies the sound with a tone c of the frequency f. Every frequency g of the sound becomes the two
// frequencies g + f and |g - f|, because sin(a) sin(b) = (cos(a - b) - cos(a + b)) / 2. With a mix of m the gain of a
// frame is 1 - m + m c.

/** The tone, frame by frame. */
export class RingModulator {
  /** A tone of `frequencyHz` for a stream of `rateHz`; `shape` is 'sine' or 'triangle'. */
  constructor(rateHz, frequencyHz, mix, shape) {
    this.tone = shape === 'triangle' ? triangle : sine;
    this.mix = mix;
    // Periods per frame. A tone has no frequency above half the rate.
    this.step = Math.min(frequencyHz / rateHz, 0.5);
    // Where in its period the tone is, 0 to 1. It goes on from block to block, so that nobody can hear where the host
    // cuts the stream.
    this.phase = 0;
  }

  /** Changes a block in place: all frames of channel 0, then those of channel 1, and so on. */
  process(samples, channels) {
    const { tone, mix, step } = this;
    const frames = samples.length / channels;
    let phase = this.phase;
    for (let frame = 0; frame < frames; frame += 1) {
      const gain = 1 - mix + mix * tone(phase);
      for (let at = frame; at < samples.length; at += frames) samples[at] *= gain;
      phase += step;
      if (phase >= 1) phase -= 1;
    }
    this.phase = phase;
  }

  /** Back to the beginning of the stream. */
  reset() {
    this.phase = 0;
  }
}

const sine = (phase) => Math.sin(2 * Math.PI * phase);

/** A triangle that begins at 0 and rises, as the sine does. */
const triangle = (phase) => Math.abs(4 * ((phase + 0.75) % 1) - 2) - 1;
