// {{title}}: what the effect is and how a host runs it. The sound is made in `dsp.js`. The texts of `wit/effect.wit` say
// more on every item; its names with `-` are in camelCase here.
import { RingModulator } from './dsp.js';

const parameters = [
  {
    id: 'frequency_hz',
    name: 'Frequency',
    group: '',
    summary: 'Of the tone; below 20 Hz the sound trembles instead.',
    advanced: false,
    kind: {
      tag: 'number',
      val: { min: 1, max: 5000, default: 50, step: 0, unit: 'Hz', scale: 'logarithmic' },
    },
  },
  {
    id: 'mix',
    name: 'Mix',
    group: '',
    summary: 'From the plain sound (0) to the product alone (1).',
    advanced: false,
    kind: { tag: 'number', val: { min: 0, max: 1, default: 1, step: 0, unit: '', scale: 'linear' } },
  },
  {
    id: 'shape',
    name: 'Shape',
    group: '',
    summary: 'Of the tone; the triangle has odd harmonics too.',
    advanced: true,
    kind: {
      tag: 'choice',
      val: {
        options: [
          { id: 'sine', name: 'Sine' },
          { id: 'triangle', name: 'Triangle' },
        ],
        default: 'sine',
      },
    },
  },
];

const number = (id, val) => ({ id, value: { tag: 'number', val } });
const choice = (id, val) => ({ id, value: { tag: 'choice', val } });

/**
 * What hosts show and check requests against. The id is for good: a change that breaks requests needs another one. The
 * version is this effect's own. Without layouts it runs with any number of channels.
 */
function describe() {
  return {
    id: '{{id}}',
    name: '{{title}}',
    version: '0.1.0',
    vendor: "{{vendor}}",
    summary: 'Multiplies the sound with a tone, as robots in old films were made.',
    tags: ['{{tag}}'],
    layouts: [],
    parameters,
    presets: [
      { id: 'tremble', name: 'Tremble', settings: [number('frequency_hz', 6), number('mix', 0.5)] },
      {
        id: 'bells',
        name: 'Bells',
        settings: [number('frequency_hz', 800), number('mix', 0.6), choice('shape', 'triangle')],
      },
    ],
  };
}

/** Every parameter by its id: its default, or what the host says. */
function complete(given) {
  const settings = {};
  for (const { id, kind } of parameters) settings[id] = kind.tag === 'toggle' ? kind.val : kind.val.default;
  for (const { id, value } of given) settings[id] = value.val;
  return settings;
}

/** One running stream. */
class Processor {
  /** Everything that takes long happens here. To refuse, throw a sentence (a string) for the person who asked. */
  constructor({ sampleRate, layout, settings }) {
    const { frequency_hz, mix, shape } = complete(settings);
    this.channels = layout.inputs;
    this.modulator = new RingModulator(sampleRate, frequency_hz, mix, shape);
  }

  /** Frames by which the output lags behind the input. */
  latency() {
    return 0;
  }

  /** A product with silence is silent; an echo would say for how many frames (a BigInt) it can be heard. */
  tail() {
    return { tag: 'frames', val: 0n };
  }

  /** Takes a Float32Array with all frames of channel 0, then those of channel 1; the answer has the same form. */
  process(input) {
    this.modulator.process(input, this.channels);
    return input;
  }

  /** Forgets all sound but not the settings. */
  reset() {
    this.modulator.reset();
  }
}

export const effect = { describe, Processor };
