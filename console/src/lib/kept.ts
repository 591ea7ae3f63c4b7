// The recordings of the last jobs, kept in this browser: the server gives no recording back, and a page that comes back wants to play
// it beside its result. Nothing here is needed; where the browser keeps nothing, the waveforms still come from the server.

const MOST = 8;

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

/** Keeps the recording of a job, and forgets the oldest ones. */
export async function keep(job: string, file: File): Promise<void> {
  try {
    const recordings = await store("readwrite");
    await done(recordings.put({ file, at: Date.now() }, job));
    const keys = await done(recordings.getAllKeys());
    const values = (await done(recordings.getAll())) as { at: number }[];
    const oldest = keys.map((key, i) => ({ key, at: values[i].at })).sort((a, b) => b.at - a.at).slice(MOST);
    for (const { key } of oldest) recordings.delete(key);
  } catch {
    // A private window, or no room.
  }
}

/** The recording of a job, if this browser has it. */
export async function kept(job: string): Promise<File | null> {
  try {
    return ((await done((await store("readonly")).get(job))) as { file: File } | undefined)?.file ?? null;
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
