// What the tests share. `VOCALHOST_URL` and `VOCALHOST_KEY` name a server that may be worked with, `VOCALHOST_SOUND` a recording.
import { createServer, connect } from "node:net";
import { openFile } from "../dist/node.js";
import { Client } from "../dist/index.js";

export const URL_OF_SERVER = process.env.VOCALHOST_URL;
export const recording = () => openFile(process.env.VOCALHOST_SOUND);

/** A client with the key of the tests. */
export function client(url = URL_OF_SERVER, options = {}) {
  return new Client({ url, key: process.env.VOCALHOST_KEY, ...options });
}

/** The number of a voice. */
export async function voice(which = 0) {
  const found = [];
  for await (const one of client().voices()) found.push(one.id);
  return found[which];
}

/** A WAV file with so many seconds of a saw tooth, 96,000 bytes for each. */
export function longRecording(seconds) {
  const bytes = new Uint8Array(44 + 96_000 * seconds);
  const view = new DataView(bytes.buffer);
  const text = (at, word) => bytes.set(new TextEncoder().encode(word), at);
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 48_000, true);
  view.setUint32(28, 96_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, bytes.length - 44, true);
  for (let at = 44; at < bytes.length; at += 2) view.setInt16(at, ((at * 37) % 20_000) - 10_000, true);
  return new Blob([bytes]);
}

/** Passes on what comes to its `url`. The connection on which more than `allowed` bytes have gone the way `cut` ends there, once. */
export async function brokenLine(t, allowed, cut = "up") {
  const target = new URL(URL_OF_SERVER);
  const line = { breaks: 0 };
  const passed = { up: 0, down: 0 };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const [source, sink, way] of [
      [near, far, "up"],
      [far, near, "down"],
    ]) {
      source.on("data", (data) => {
        passed[way] += data.length;
        const breaks = way === cut && passed[way] > allowed && line.breaks === 0;
        if (breaks) line.breaks += 1;
        // What came before the end is not lost on the way.
        sink.write(data, () => breaks && end());
      });
      source.on("close", end);
      source.on("error", end);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  line.url = `http://127.0.0.1:${server.address().port}`;
  return line;
}
