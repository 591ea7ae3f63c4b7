// The effect on test signals, in Node: npm test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effect } from '../src/effect.js';

const RATE_HZ = 48000;

function start(numbers = {}, channels = 1) {
  return new effect.Processor({
    sampleRate: RATE_HZ,
    layout: { inputs: channels, outputs: channels },
    maxFrames: 4096,
    settings: Object.entries(numbers).map(([id, val]) => ({ id, value: { tag: 'number', val } })),
  });
}

/** Sends the sound through in blocks of these lengths, over and over. */
function run(processor, sound, cuts = [4096]) {
  const output = new Float32Array(sound.length);
  for (let at = 0, i = 0; at < sound.length; i += 1) {
    const block = sound.slice(at, at + cuts[i % cuts.length]);
    output.set(processor.process(block), at);
    at += block.length;
  }
  return output;
}

const tone = (frequencyHz) =>
  Float32Array.from({ length: RATE_HZ }, (_, i) => 0.5 * Math.sin((2 * Math.PI * frequencyHz * i) / RATE_HZ));

/** How much of the frequency is in the sound: the magnitude of its Fourier coefficient. */
function amount(sound, frequencyHz) {
  let real = 0;
  let imaginary = 0;
  sound.forEach((sample, i) => {
    const angle = (2 * Math.PI * frequencyHz * i) / RATE_HZ;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
  });
  return (2 * Math.hypot(real, imaginary)) / sound.length;
}

test('a tone becomes its sum and its difference with the other', () => {
  const output = run(start({ frequency_hz: 100 }), tone(1000));
  for (const [frequencyHz, expected] of [[900, 0.25], [1100, 0.25], [1000, 0]]) {
    const found = amount(output, frequencyHz);
    assert.ok(Math.abs(found - expected) < 1e-4, `${frequencyHz} Hz: ${found}`);
  }
});

test('where the stream is cut cannot be heard', () => {
  assert.deepEqual(run(start(), tone(440), [1, 700, 3, 1024]), run(start(), tone(440)));
});

test('a reset forgets', () => {
  const processor = start();
  const first = run(processor, tone(440));
  processor.reset();
  assert.deepEqual(run(processor, tone(440)), first);
});

test('without a mix the sound stays as it is', () => {
  assert.deepEqual(run(start({ mix: 0 }), tone(440)), tone(440));
});

test('every preset sets what exists', () => {
  const { parameters, presets } = effect.describe();
  const ids = new Set(parameters.map(({ id }) => id));
  for (const { settings } of presets) for (const { id } of settings) assert.ok(ids.has(id), id);
});
