// The recordings of the last jobs and the chains that they went through, kept in this browser: the server gives neither back, and a page
// that comes back wants to play the recording beside its result, and to go on from there. Nothing here is needed; where the browser keeps nothing, the waveforms still come from the server.

import type { ChainEntry } from "./types";

const MOST = 8;

export interface Kept {
  file: File;
  pre: ChainEntry[];
  post: ChainEntry[];
}

function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("vocalhost", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("recordings");
    request.onsuccess = () => resolve(request.result.transaction("recordings", mode).objectStore("recordings"));
    request.onerror = () => reject(request.error);
  });
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Keeps what a job was made of, and forgets the oldest ones. */
export async function keep(job: string, what: Kept): Promise<void> {
  try {
    const recordings = await store("readwrite");
    await done(recordings.put({ ...what, at: Date.now() }, job));
    const keys = await done(recordings.getAllKeys());
    const values = (await done(recordings.getAll())) as { at: number }[];
    const oldest = keys
      .map((key, i) => ({ key, at: values[i].at }))
      .sort((a, b) => b.at - a.at)
      .slice(MOST);
    for (const { key } of oldest) recordings.delete(key);
  } catch {
    // A private window, or no room.
  }
}

/** What was kept of a job, if this browser has it. */
export async function kept(job: string): Promise<Kept | null> {
  try {
    return ((await done((await store("readonly")).get(job))) as Kept | undefined) ?? null;
  } catch {
    return null;
  }
}

/** Forgets all of them, when somebody signs out. */
export async function forget(): Promise<void> {
  try {
    await done((await store("readwrite")).clear());
  } catch {
    // Nothing was kept.
  }
}
