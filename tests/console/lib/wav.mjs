// WAV files, as results are downloaded.
import assert from "node:assert/strict";

/** The chunk `name` of a WAV file. */
function chunk(file, name) {
  for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)) {
    if (file.toString("latin1", at, at + 4) === name) return file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
  }
  return assert.fail(`no chunk ${name}`);
}

/** The samples of a WAV file of 16 or 24 bits or of 32-bit floats, a list for each channel. */
export function samples(file) {
  const format = chunk(file, "fmt ");
  const data = chunk(file, "data");
  const [count, bytes] = [format.readUInt16LE(2), format.readUInt16LE(14) / 8];
  const one = bytes === 4 ? (at) => data.readFloatLE(at) : (at) => data.readIntLE(at, bytes) / 2 ** (8 * bytes - 1);
  const frames = data.length / bytes / count;
  return Array.from({ length: count }, (_, channel) => Float64Array.from({ length: frames }, (_, frame) => one((frame * count + channel) * bytes)));
}

/** A WAV file of 32-bit floats with one channel. */
export function floats(channel, rate) {
  const file = Buffer.alloc(44 + 4 * channel.length);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  // The size of what follows, floats, one channel, the rate, bytes a second, bytes a frame, bits.
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(3, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(4 * rate, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(32, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(4 * channel.length, 40);
  channel.forEach((sample, at) => file.writeFloatLE(sample, 44 + 4 * at));
  return file;
}
