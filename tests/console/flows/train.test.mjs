import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, newJob, signIn } from "../lib/page.mjs";
import { ended, fixture, newKey } from "../lib/server.mjs";

const browser = await startBrowser();

test("recordings are dropped, the consent is declared, and what is in the way of a voice is told", async () => {
  const { key } = await newKey("console-trains");
  const page = await newPage(browser);
  await signIn(page, { key, screen: "#/train" });
  await page.getByRole("blockquote").getByText(/has agreed that a voice is made from them/).waitFor();
  await page.locator("input[type=file]").first().setInputFiles([fixture("sound/speech.flac"), fixture("sound/speech.flac")]);
  const begin = page.getByRole("button", { name: "Train", exact: true });
  assert(await begin.isDisabled());
  await page.getByRole("button", { name: "Take speech.flac out" }).first().click();
  await page.getByLabel("What it is called").fill("Anna <b>");
  await page.getByLabel("Whose voice it is").fill("Nobody");
  assert(await begin.isDisabled(), "nothing is declared yet");
  await page.getByRole("switch", { name: "I declare what stands above" }).press("Space");
  await assertAccessible(page, "train");
  // Whoever it is of says it, too: the number is the server's.
  await page.getByRole("switch", { name: "The person says it, too" }).press("Space");
  const sentence = await page.getByText(/^I agree that a voice is made .* My number is/).textContent();
  await page.locator("input[type=file]").nth(1).setInputFiles([fixture("sound/sung.wav")]);
  await page.getByRole("button", { name: "Take sung.wav out" }).waitFor();
  await assertAccessible(page, "train with a spoken consent");
  await begin.click();
  const id = await newJob("voice-trainings", [], { key });
  const record = await ended(`/voice-trainings/${id}`, { key });
  assert.deepEqual(
    [record.title, record.recordings.map(({ name }) => name), record.consent.name],
    ["Anna <b>", ["speech.flac"], "Nobody"],
  );
  assert.equal([...record.consent.spoken].join(" "), sentence.match(/My number is ([\d ]+)\./)[1]);
  // One sentence is no voice.
  assert.equal(record.error.code, "recordings_unfit");
  await page.getByRole("heading", { name: "Anna <b>" }).waitFor();
  await page.getByRole("alert").getByText(record.error.message.slice(0, 40)).waitFor();
  assertQuiet(page, [/401/]);
});
