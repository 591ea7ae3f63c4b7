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

/** The rates of MPEG-1 layer III by their number; MPEG-2 has half of them, MPEG-2.5 a quarter (ISO/IEC 11172-3, 13818-3). */
const MP3_RATES = [44_100, 48_000, 32_000];

/** The rate in hertz that the header of a WAV, FLAC or MP3 file says; undefined for anything else. */
export function rateOf(data: ArrayBuffer): number | undefined {
  const view = new DataView(data);
  const is = (at: number, word: string) => [...word].every((letter, i) => view.getUint8(at + i) === letter.charCodeAt(0));
  if (data.byteLength < 44) return undefined;
  if (is(0, "RIFF") && is(8, "WAVE")) {
    for (let at = 12; at + 16 <= data.byteLength; at += 8 + view.getUint32(at + 4, true)) {
      if (is(at, "fmt ")) return view.getUint32(at + 12, true);
    }
    return undefined;
  }
  // The first block is STREAMINFO, whose rate are 20 bits (RFC 9639, 8.2).
  if (is(0, "fLaC")) return view.getUint32(18) >>> 12;
  // An ID3 tag says its length in four times seven bits.
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + view.getUint8(at), 0);
  const at = is(0, "ID3") ? 10 + size : 0;
  if (at + 4 > data.byteLength) return undefined;
  const header = view.getUint32(at);
  const version = (header >>> 19) & 3;
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return undefined;
  const rate = MP3_RATES[(header >>> 10) & 3];
  return rate === undefined ? undefined : rate / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3];
}

/** The samples of what a link gives, WAV at its own rate: one sample of the buffer for one of the file. */
export async function decodeExactly(link: string, signal?: AbortSignal): Promise<AudioBuffer> {
  const response = await fetch(link, { signal, credentials: "same-origin" });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return decodeData(await response.arrayBuffer());
}

/** The samples of a file, at its own rate where its header says one. */
export async function decodeFile(file: Blob): Promise<AudioBuffer> {
  return decodeData(await file.arrayBuffer());
}

function decodeData(data: ArrayBuffer): Promise<AudioBuffer> {
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
