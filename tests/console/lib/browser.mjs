// A real Chromium, started from a package. It reaches 127.0.0.1 and nothing else.
import { mkdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import assert from "node:assert/strict";

import { loaded } from "./packages.mjs";
import { url } from "./server.mjs";

// How long the browser and its pages may take for anything: a machine may be slow, and be shared with other tests.
const PATIENCE_MS = 180_000;

// Not those that the package proposes: they turn off the very walls between origins that the flows look at.
const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  // Without a graphics card pages now and then wait for ever for one to draw on a canvas.
  "--disable-accelerated-2d-canvas",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--autoplay-policy=no-user-gesture-required",
];

// Unpacking takes seconds, once a machine; two files of flows at the same time must not see each other's half.
async function program() {
  const chromium = await loaded("@sparticuz/chromium");
  const lock = join(tmpdir(), "vocalhost-console-chromium.lock");
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch {
      // A lock that outlived its process would stop every later run.
      const made = await stat(lock).catch(() => null);
      if (made && Date.now() - made.mtimeMs > 60_000) await rm(lock, { recursive: true, force: true });
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  try {
    return await chromium.executablePath();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/**
 * Starts the browser, which ends with the file of flows. `microphone` is a WAV file that a fake microphone plays over
 * and over; recording is allowed then without a question.
 */
export async function startBrowser({ microphone, flags = [] } = {}) {
  const { chromium } = await loaded("playwright-core");
  const fake = microphone
    ? [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        `--use-file-for-fake-audio-capture=${microphone}`,
      ]
    : [];
  const browser = await chromium.launch({
    executablePath: await program(),
    args: [...FLAGS, ...fake, ...flags],
    headless: true,
    timeout: PATIENCE_MS,
  });
  after(() => browser.close());
  return browser;
}

/**
 * A page in a context of its own: cookies and storage of no other flow. What the page logs as an error, throws, or asks of another
 * address than the server's is kept in `page.complaints`, which `assertQuiet` looks at.
 */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ locale: "en-US", acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => {
    const own = [`${url}/`, "blob:", "data:"].some((start) => request.url().startsWith(start));
    if (!own) page.complaints.push(`asked ${request.url()}`);
  });
  return page;
}

/** Nothing went wrong in the page but what `expected` (patterns) allows: answers of 401 and the like are logged as errors. */
export function assertQuiet(page, expected = []) {
  const left = page.complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
  assert.deepEqual(left, []);
}
