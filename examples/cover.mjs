// A cover: a whole song in another voice.
//
//     node cover.mjs SONG VOICE COVER        node cover.mjs song.mp3 1 cover.wav

import { Client } from "../clients/typescript/dist/index.js"; // of the package: "vocalhost"
import { openFile, save } from "../clients/typescript/dist/node.js"; // "vocalhost/node"

const [song, voice, cover] = process.argv.slice(2);
const client = new Client({ url: process.env.VOCALHOST_URL ?? "http://127.0.0.1:8080", key: process.env.VOCALHOST_KEY });
const request = { soundFile: await openFile(song), voiceModelId: Number(voice), isolateVocals: true, autoPitch: true };
const onProgress = (percent, stage) => console.log(`${Math.round(percent)} % ${stage}`);
const job = await client.conversions.wait(await client.conversions.create(request), { onProgress });
await save(client, job.recombinedAudioFileUrl, cover);
console.log(`${cover}: ${job.model.title}, moved by ${job.suggestedPitchShift} semitones`);
