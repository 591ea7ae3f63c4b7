// What the files of a job come as.

export type Format = "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";

export const BITRATES: Partial<Record<Format, number[]>> = {
  mp3: [128, 160, 192, 224, 256, 320],
  opus: [64, 96, 128, 160, 192, 224, 256],
};

/** How results are asked for; the names are the API's. */
export interface Output {
  outputFormat: Format;
  /** In kbit/s; null is the usual one. */
  outputBitrate: number | null;
  /** In LUFS; null leaves it as it comes. */
  outputLoudness: number | null;
  lossy: "" | "with-job" | "on-demand";
}

export const USUAL: Output = { outputFormat: "wav24", outputBitrate: null, outputLoudness: null, lossy: "" };

/** Whether the bit rate is one of the format's. */
export function fits({ outputFormat, outputBitrate }: Output): boolean {
  return outputBitrate !== null && (BITRATES[outputFormat] ?? []).includes(outputBitrate);
}

/** The fields of a request that differ from the usual ones. */
export function outputFields(output: Output): { name: string; value: string }[] {
  const names = Object.keys(USUAL) as (keyof Output)[];
  return names
    .filter((name) => output[name] !== USUAL[name] && output[name] !== null && (name !== "outputBitrate" || fits(output)))
    .map((name) => ({ name, value: String(output[name]) }));
}
