import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, downloaded, newJob, open, pickFile, signIn, tabTo } from "../lib/page.mjs";
import { api, ended, fixture, json, newKey } from "../lib/server.mjs";

const RECORDING = fixture("sound/speech.mp3");
const browser = await startBrowser();

/** A page in which a user of this name is signed in, and the key. */
async function signedIn(user, options) {
  const { key } = await newKey(user);
  const page = await newPage(browser, options);
  await signIn(page, { key, screen: "#/convert" });
  return { page, key };
}

/** Chooses a recording and the first voice. */
async function choose(page) {
  await pickFile(page, RECORDING);
  await page.locator("input[type=radio][name^=voices]").first().check({ force: true });
}

/** Converts what is chosen, and accepts the terms when they are shown. */
async function convert(page, before, key) {
  const again = () => page.getByRole("button", { name: /^convert/i }).last().click();
  await again();
  const accept = page.getByRole("button", { name: "I keep to these terms" });
  await accept.click();
  return newJob("voice-conversions", before, { key, page, again });
}

test("a recording becomes a job, and what is downloaded is what the API has", async () => {
  const { page, key } = await signedIn("console-converts");
  await choose(page);
  const id = await convert(page, [], key);
  const record = await ended(`/voice-conversions/${id}`, { key });
  assert.equal(record.status, "success");
  const link = page.getByRole("link", { name: /^download result as/i }).first();
  await link.waitFor();
  const { bytes } = await downloaded(page, () => link.click());
  const whole = Buffer.from(await (await fetch(record.outputFileUrl)).arrayBuffer());
  assert(bytes.equals(whole), `${bytes.length} and ${whole.length} bytes`);
  // Nobody was signed in at first.
  assertQuiet(page, [/401/]);
});

test("a job outlives its page and is found among the jobs, from where it is deleted", async () => {
  const { page, key } = await signedIn("console-leaves");
  await choose(page);
  const id = await convert(page, [], key);
  const { origin } = new URL(page.url());
  const context = page.context();
  await page.close();
  assert.equal((await ended(`/voice-conversions/${id}`, { key })).status, "success");
  const back = await context.newPage();
  await back.goto(`${origin}/#/jobs`);
  await back.getByRole("link", { name: /^open/i }).waitFor();
  await assertAccessible(back, "jobs");
  await back.getByRole("button", { name: /^delete/i }).click();
  await back.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await back.getByText("No jobs yet").waitFor();
  assert.equal((await api(`/voice-conversions/${id}`, { key })).status, 404);
});

test("a job that is no longer wanted is cancelled where its progress is shown", async () => {
  const { page, key } = await signedIn("console-cancels");
  await choose(page);
  const id = await convert(page, [], key);
  await page.getByRole("button", { name: "Cancel" }).click();
  const { status } = await ended(`/voice-conversions/${id}`, { key });
  // It may have been done already.
  assert(["cancelled", "success"].includes(status), status);
  await page.getByText(status === "cancelled" ? "Cancelled. Nothing of it was kept." : "Done").first().waitFor();
});

test("a cancelled job is tried again from where it is shown", async () => {
  const { page, key } = await signedIn("console-retries");
  await choose(page);
  const id = await convert(page, [], key);
  // Cancelled by a program; the page follows. One that was quicker is done, and another one is begun.
  let cancelled = (await api(`/voice-conversions/${id}/cancel`, { key, method: "POST" })).ok ? id : null;
  const known = [id];
  while ((await ended(`/voice-conversions/${known.at(-1)}`, { key })).status !== "cancelled") {
    await page.getByRole("button", { name: /^convert/i }).last().click();
    cancelled = await newJob("voice-conversions", known, { key });
    known.push(cancelled);
    await api(`/voice-conversions/${cancelled}/cancel`, { key, method: "POST" });
  }
  await page.getByText("Cancelled. Nothing of it was kept.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  const again = await newJob("voice-conversions", known, { key });
  const record = await ended(`/voice-conversions/${again}`, { key });
  assert.deepEqual([record.status, record.retryOf], ["success", cancelled]);
  await page.getByRole("link", { name: /^download result as/i }).first().waitFor();
});

test("what the server refuses is shown with its sentence at its field", async () => {
  const { page, key } = await signedIn("console-refused");
  await pickFile(page, { name: "notes.wav", mimeType: "audio/wav", buffer: Buffer.from("no sound at all") });
  await page.locator("input[type=radio][name^=voices]").first().check({ force: true });
  await page.getByRole("button", { name: /^convert/i }).last().click();
  await page.getByRole("button", { name: "I keep to these terms" }).click();
  await page.getByRole("alert").first().waitFor();
  const { data } = await json("/voice-conversions", { key });
  assert.deepEqual(data, []);
});

test("the screen has no fault of accessibility, and its first controls are reached by keyboard", async () => {
  const { page } = await signedIn("console-accessible");
  await page.locator("input[type=radio][name^=voices]").first().waitFor({ state: "attached" });
  await assertAccessible(page, "convert");
  await tabTo(page, page.getByRole("link", { name: "Jobs" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Jobs" }).first().waitFor();
});

test("on a telephone nothing is wider than the screen", async () => {
  const { page } = await signedIn("console-small", { viewport: { width: 360, height: 740 } });
  for (const screen of ["#/convert", "#/jobs"]) {
    await open(page, screen);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wider <= 0, `${screen} is ${wider} pixels too wide`);
  }
});
