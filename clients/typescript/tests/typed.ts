// What compilers are to know of requests and records. Nothing here runs: it is compiled, and each mistake must be one.
import { Client, JobFailed, type ListedJob, type VoiceConversion } from "../dist/index.js";
import { openFile, save } from "../dist/node.js";

export async function convert(client: Client): Promise<VoiceConversion> {
  const made = await client.conversions.create({
    soundFile: await openFile("song.wav"),
    backingSoundFile: "upload:1",
    voiceModelId: 1,
    pre: { noiseGate: { threshold_db: -60 } },
    post: ["reverb", { effect: "compressor", params: { ratio: 3 } }],
    metadata: { take: "1" },
    outputFormat: "flac",
  });
  const job = await client.conversions.wait(made, { onProgress: (progress: number, stage: string) => [progress, stage] });
  const link: string | null = job.outputFileUrl;
  if (link !== null) await save(client, link, "converted.wav");
  // @ts-expect-error A link may be missing.
  await client.download(job.outputFileUrl);
  return job;
}

export async function live(client: Client): Promise<number> {
  const made = await client.live.create({ voiceModelId: 1, latency: "low", post: ["reverb"], record: "both" });
  const job: VoiceConversion = await client.live.render(made, { autoPitch: true });
  // @ts-expect-error There is no such latency.
  await client.live.create({ voiceModelId: 1, latency: "least" });
  return made.latencyMs.total + job.id;
}

export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error The recording is missing.
  await client.conversions.create({ voiceModelId: 1 });
  // @ts-expect-error There is no such stem in a separation.
  await client.separations.create({ inputFile: new Blob(), stems: ["drums"] });
  // @ts-expect-error There is no such field.
  await client.splits.create({ inputFile: new Blob(), pitchShift: 1 });
  // @ts-expect-error The share is missing.
  await client.blends.create({ modelId1: 1, modelId2: 2 });
  // @ts-expect-error A path is no file: `openFile` makes one of it.
  await client.splits.create({ inputFile: "song.wav" });
}

export async function others(client: Client): Promise<ListedJob["kind"][]> {
  const kinds: ListedJob["kind"][] = [];
  for await (const job of client.jobs({ status: "success" })) kinds.push(job.kind);
  const { data } = await client.api.GET("/usage");
  const running: number | undefined = data?.jobs.running;
  return running === undefined ? [] : kinds;
}

export function why(error: unknown): string | undefined {
  return error instanceof JobFailed ? error.job.error?.code : undefined;
}
