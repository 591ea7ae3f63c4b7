// Has a job of each kind done by a client whose types come from the server's own description, and looks at what comes back.
// Arguments: the API's root, a key, a recording.

import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [root = "", key = "", path = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: root, headers: { Authorization: `Bearer ${key}` } });
const recording = new Blob([new Uint8Array(await readFile(path))]);

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what, undefined, 2));
}

/** A form as the description has it: what is no text goes as JSON. */
function form(fields: object): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    const plain = typeof value === "string" || value instanceof Blob;
    data.append(name, plain ? value : JSON.stringify(value));
  }
  return data;
}

async function fetched(url: string | null): Promise<string> {
  check(url !== null, "a link");
  const answer = await fetch(url);
  check(answer.ok, { url, status: answer.status });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return String.fromCharCode(...bytes.slice(0, 4));
}

const patient = { Prefer: "wait=60" };

/** The record of a job once it has ended, however long that takes. */
async function ended<Job extends { id: number; status: string }>(
  made: { data?: Job; error?: unknown },
  read: (id: number) => Promise<{ data?: Job; error?: unknown }>,
): Promise<Job> {
  let { data, error } = made;
  while (data?.status === "running") ({ data, error } = await read(data.id));
  check(data?.status === "success", data ?? error);
  return data;
}

async function voices(): Promise<[number, number]> {
  const { data, error } = await client.GET("/voice-models", { params: { query: { perPage: 2 } } });
  check(data !== undefined, error);
  const [first, second] = data.data.map((voice) => voice.id);
  check(first !== undefined && second !== undefined, data);
  return [first, second];
}

async function conversion(voice: number): Promise<void> {
  const made = await client.POST("/voice-conversions", {
    params: { header: patient },
    body: {
      voiceModelId: voice,
      soundFile: recording,
      pitchShift: -2.5,
      autoPitch: true,
      pre: { noiseGate: { threshold_db: -60 } },
      post: ["reverb", { effect: "compressor", params: { ratio: 3 } }],
      metadata: { take: "1" },
    },
    bodySerializer: form,
  });
  const read = (id: number) =>
    client.GET("/voice-conversions/{id}", { params: { path: { id }, header: patient } });
  const data = await ended(made, read);
  check(data.pitchShift === -2.5 && data.autoPitch && data.metadata?.["take"] === "1", data);
  const effects = data.effects?.map((effect) => effect.id.replace("vocalhost.", ""));
  check(effects?.join() === "noise-gate,reverb,compressor", data);
  const used = data.modelsUsed?.map((model) => model.id);
  check(used !== undefined && used.length > 0 && used.join() === data.models?.join(), data);
  check((await fetched(data.outputFileUrl)) === "RIFF", data);
  check(data.model.id === voice && data.loudness?.["input"] !== undefined, data);
}

async function separation(): Promise<void> {
  const made = await client.POST("/vocal-separations", {
    params: { header: patient },
    body: { inputFile: recording, outputFormat: "flac", outputLoudness: -20 },
    bodySerializer: form,
  });
  const read = (id: number) =>
    client.GET("/vocal-separations/{id}", { params: { path: { id }, header: patient } });
  const data = await ended(made, read);
  const stems = data.stemFileUrls.map((stem) => stem.instrument);
  check(stems.join() === "vocals,harmony,reverb,backing", data);
  check((await fetched(data.vocalAudioFileUrl)) === "fLaC", data);
  check((await fetched(data.backingAudioFileUrl)) === "fLaC", data);
}

async function split(): Promise<void> {
  const made = await client.POST("/stem-splits", {
    params: { header: patient },
    body: { inputFile: recording, stems: ["drums", "bass"] },
    bodySerializer: form,
  });
  const read = (id: number) =>
    client.GET("/stem-splits/{id}", { params: { path: { id }, header: patient } });
  const data = await ended(made, read);
  check(data.stemFileUrls.map((stem) => stem.instrument).join() === "drums,bass", data);
  check((await fetched(data.stemFileUrls[0]?.url ?? null)) === "RIFF", data);
}

async function blend([modelId1, modelId2]: [number, number]): Promise<void> {
  const made = await client.POST("/voice-blender", {
    params: { header: patient },
    body: { modelId1, modelId2, alpha: 0.25, title: "Typed" },
  });
  const read = (id: number) =>
    client.GET("/voice-blender/{id}", { params: { path: { id }, header: patient } });
  const data = await ended(made, read);
  check(data.alpha2 === 0.75, data);
  const path = { id: data.outputModelId };
  const voice = await client.GET("/voice-models/{id}", { params: { path } });
  check(voice.data?.title === "Typed" && voice.data.isUsable, voice);
  check(voice.data.terms?.sources.length === 2, voice.data);
}

async function refusals(): Promise<void> {
  const wrong = await client.POST("/voice-blender", {
    body: { modelId1: 1, modelId2: 1, alpha: 2 },
  });
  check(wrong.error?.code === "E_VALIDATION_FAILURE", wrong.error);
  check(wrong.error.errors.some((mistake) => mistake.field === "alpha"), wrong.error);
  const nobody = createClient<paths>({ baseUrl: root });
  const refused = await nobody.GET("/jobs");
  check(refused.error?.code === "E_UNAUTHORIZED_ACCESS", refused.error);
}

const both = await voices();
await Promise.all([conversion(both[0]), separation(), split(), blend(both), refusals()]);
const { data } = await client.GET("/jobs", { params: { query: { status: "success" } } });
check(new Set(data?.data.map((job) => job.kind)).size === 4, data);
