// Decoding and looking at sounds in the browser.

let context: AudioContext | undefined;

/** The one audio context of the page. Sounds only after something was pressed: call `wake` there. */
export function engine(): AudioContext {
  context ??= new AudioContext({ latencyHint: "interactive" });
  return context;
}

/** Lets the context sound; browsers allow it in answer to a press. */
export async function wake(): Promise<AudioContext> {
  const running = engine();
  if (running.state !== "running") await running.resume();
  return running;
}

/** The samples of a file or of what a link gives, at the rate of the context. */
export async function decode(source: Blob | string, signal?: AbortSignal): Promise<AudioBuffer> {
  let data: ArrayBuffer;
  if (typeof source === "string") {
    const response = await fetch(source, { signal, credentials: "same-origin" });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    data = await response.arrayBuffer();
  } else data = await source.arrayBuffer();
  return engine().decodeAudioData(data);
}

/** The rate in hertz that the header of a WAV file says; undefined for anything else. */
function rateOf(data: ArrayBuffer): number | undefined {
  const view = new DataView(data);
  const is = (at: number, word: string) => [...word].every((letter, i) => view.getUint8(at + i) === letter.charCodeAt(0));
  if (data.byteLength < 44 || !is(0, "RIFF") || !is(8, "WAVE")) return undefined;
  for (let at = 12; at + 16 <= data.byteLength; at += 8 + view.getUint32(at + 4, true)) {
    if (is(at, "fmt ")) return view.getUint32(at + 12, true);
  }
  return undefined;
}

/** The samples of what a link gives, WAV at its own rate: one sample of the buffer for one of the file. */
export async function decodeExactly(link: string, signal?: AbortSignal): Promise<AudioBuffer> {
  const response = await fetch(link, { signal, credentials: "same-origin" });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const data = await response.arrayBuffer();
  const rate = rateOf(data);
  const at = rate === undefined ? engine() : new OfflineAudioContext(1, 1, rate);
  return at.decodeAudioData(data);
}

/** The lowest and the highest sample of each of some columns, over all channels. */
export interface Columns {
  min: Float32Array;
  max: Float32Array;
}

export function peaks(buffer: AudioBuffer, columns: number): Columns {
  const min = new Float32Array(columns);
  const max = new Float32Array(columns);
  for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
    const samples = buffer.getChannelData(channel);
    for (let column = 0; column < columns; column += 1) {
      const from = Math.floor((column * samples.length) / columns);
      const to = Math.max(from + 1, Math.floor(((column + 1) * samples.length) / columns));
      let low = min[column];
      let high = max[column];
      for (let at = from; at < to && at < samples.length; at += 1) {
        const sample = samples[at];
        if (sample < low) low = sample;
        if (sample > high) high = sample;
      }
      min[column] = low;
      max[column] = high;
    }
  }
  return { min, max };
}

/** Decibels as a factor. */
export function factor(decibels: number): number {
  return 10 ** (decibels / 20);
}

/** A WAV file with 16-bit or 32-bit float samples of some channels. */
export function wav(channels: Float32Array[], rate: number, float = false): Blob {
  const frames = channels[0]?.length ?? 0;
  const width = float ? 4 : 2;
  const size = frames * channels.length * width;
  const view = new DataView(new ArrayBuffer(44 + size));
  const text = (at: number, word: string) => [...word].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + size, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, float ? 3 : 1, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * channels.length * width, true);
  view.setUint16(32, channels.length * width, true);
  view.setUint16(34, width * 8, true);
  text(36, "data");
  view.setUint32(40, size, true);
  let at = 44;
  for (let frame = 0; frame < frames; frame += 1) {
    for (const channel of channels) {
      if (float) view.setFloat32(at, channel[frame], true);
      else view.setInt16(at, Math.max(-32768, Math.min(32767, Math.round(channel[frame] * 32768))), true);
      at += width;
    }
  }
  return new Blob([view.buffer], { type: "audio/wav" });
}
