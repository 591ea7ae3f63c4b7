// How long to go on when the server cannot be reached or is busy.
import { VocalhostError } from "./errors.js";

const FIRST_S = 0.5;
const LONGEST_S = 8;

/** The rules by which requests are sent again. */
export interface Patience {
  /** How often in a row. */
  retries: number;
  /** Seconds. A server that asks for a longer pause is not asked again: whoever called decides. */
  longestPause: number;
}

/** Seconds to wait after so many tries that failed; throws the error when there is to be no other one. */
export function pauseAfter(patience: Patience, error: unknown, tries: number): number {
  if (!(error instanceof VocalhostError) || !error.isPassing || tries > patience.retries) throw error;
  if (error.retryAfter !== undefined) {
    if (error.retryAfter > patience.longestPause) throw error;
    return error.retryAfter;
  }
  // Not all clients at the same moment.
  return Math.min(FIRST_S * 2 ** (tries - 1), LONGEST_S) * (0.75 + Math.random() / 2);
}

/** Waits. Rejects when the signal is given. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
