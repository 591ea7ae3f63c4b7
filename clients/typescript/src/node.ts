// Files on the disk, for Node.
import { openAsBlob } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import type { Client } from "./client.js";
import type { DownloadOptions } from "./downloads.js";

/** A file to be sent. It is read piece by piece while it is sent. */
export async function openFile(path: string): Promise<File> {
  return new File([await openAsBlob(path)], basename(path));
}

/** Fetches a link of a record into a file, which is there when it is whole. */
export async function save(client: Client, url: string, path: string, options: DownloadOptions = {}): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, "w");
  let at = 0;
  try {
    await client.downloadInto(
      url,
      {
        write: async (chunk) => {
          for (let written = 0; written < chunk.length; ) {
            const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
            written += bytesWritten;
            at += bytesWritten;
          }
        },
        restart: async () => {
          await file.truncate(0);
          at = 0;
        },
      },
      options,
    );
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}
