// The first five things that people do here, with the keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newPage, startBrowser } from "../lib/browser.mjs";
import { downloaded, keyField, newJob, open, tabTo } from "../lib/page.mjs";
import { ended, fixture, json, newKey } from "../lib/server.mjs";

const RECORDING = fixture("sound/speech.mp3");
const browser = await startBrowser({ microphone: fixture("sound/sung.wav") });

/** What stands over the screens, by the words of their links. */
const HEADINGS = { Convert: "Convert a voice", Split: "Split into stems", Blend: "Blend voices" };

/** Signs in by typing the key, and goes to a screen with its link. */
async function arrive(user, screen) {
  const { key } = await newKey(user);
  const page = await newPage(browser);
  await open(page);
  await keyField(page).waitFor();
  await tabTo(page, keyField(page));
  await page.keyboard.type(key);
  assert.equal(await keyField(page).inputValue(), key);
  await page.keyboard.press("Enter");
  await keyField(page).waitFor({ state: "detached" });
  await press(page, page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: screen, exact: true }));
  // The screen before is there until this one has come, and has a field for files, too.
  await page.getByRole("heading", { level: 1, name: HEADINGS[screen] }).waitFor();
  return { page, key };
}

/** Goes to something with Tab and presses a key there. */
async function press(page, target, key = "Enter") {
  await target.waitFor();
  // What is not ready yet is passed over by Tab.
  for (let i = 0; i < 1_200 && !(await target.isEnabled()); i += 1) await page.waitForTimeout(100);
  await tabTo(page, target, 200);
  await page.keyboard.press(key);
}

/** Picks the recording in the system's dialog, which opens at a key. */
async function choose(page, file = RECORDING) {
  const field = page.locator("input[type=file]").first();
  await field.waitFor({ state: "attached" });
  await tabTo(page, field, 200);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Space")]);
  await chooser.setFiles(file);
}

/** Chooses the first voice and begins. */
async function convert(page, key) {
  await press(page, page.locator("input[type=radio][name^=voices]").first(), "Space");
  await press(page, page.getByRole("button", { name: /^convert/i }).last());
  await press(page, page.getByRole("button", { name: "I keep to these terms" }));
  const id = await newJob("voice-conversions", [], { key });
  const record = await ended(`/voice-conversions/${id}`, { key });
  assert.equal(record.status, "success");
  return record;
}

test("sign in, convert with two effects, and download what the API has", async () => {
  const { page, key } = await arrive("keyboard-converts", "Convert");
  await choose(page);
  const chain = page.getByRole("group", { name: "Before the voice" });
  for (const name of ["noise gate", "high-pass"]) {
    await press(page, chain.getByRole("button", { name: "Add an effect" }));
    await page.getByRole("dialog").getByRole("searchbox").waitFor();
    await page.keyboard.type(name);
    await press(page, page.getByRole("dialog").locator("button.effect").first());
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  const record = await convert(page, key);
  assert.deepEqual(
    record.effects.map(({ id }) => id),
    ["vocalhost.noise-gate", "vocalhost.high-pass"],
  );
  const link = page.getByRole("link", { name: /^download result as/i }).first();
  const { bytes } = await downloaded(page, () => press(page, link));
  assert(bytes.equals(Buffer.from(await (await fetch(record.outputFileUrl)).arrayBuffer())));
});

test("record from the microphone, and convert the take", async () => {
  const { page, key } = await arrive("keyboard-records", "Convert");
  const ways = page.getByRole("tab", { name: "A file" });
  await tabTo(page, ways, 200);
  await page.keyboard.press("ArrowRight");
  await press(page, page.getByRole("button", { name: "Open the microphone" }));
  await press(page, page.getByRole("switch", { name: "Count-in" }), "Space");
  await press(page, page.getByRole("button", { name: "Record", exact: true }));
  // Two seconds or more: on a busy machine nobody may look just then.
  await page.getByText(/^Recording, (0:(0[2-9]|[1-5]\d)|[1-9])/).waitFor();
  await press(page, page.getByRole("button", { name: "Stop", exact: true }));
  await page.getByText(/^Recording .*\.wav$/).first().waitFor();
  const record = await convert(page, key);
  assert(record.durationSeconds === undefined || record.durationSeconds > 1);
  // The fake microphone sings: what was recorded is heard.
  const { data } = await json(`/voice-conversions?perPage=1`, { key });
  assert(data[0].inputLoudness === undefined || data[0].inputLoudness > -60, JSON.stringify(data[0]));
});

test("split a song, mute a stem, and save what is heard", async () => {
  const { page, key } = await arrive("keyboard-splits", "Split");
  await choose(page);
  await press(page, page.getByRole("button", { name: "Split", exact: true }));
  const id = await newJob("stem-splits", [], { key });
  assert.equal((await ended(`/stem-splits/${id}`, { key })).status, "success");
  await press(page, page.getByRole("button", { name: "Mute Drums" }));
  const { bytes } = await downloaded(page, () => press(page, page.getByRole("button", { name: "Save what is heard" })));
  assert(bytes.length > 10_000);
});

test("blend two voices", async () => {
  const { page, key } = await arrive("keyboard-blends", "Blend");
  for (const [button, at] of [
    ["Choose the first voice", 0],
    ["Add a voice", 1],
  ]) {
    await press(page, page.getByRole("button", { name: button }));
    const radios = page.getByRole("dialog").locator("input[type=radio]");
    await radios.nth(at).waitFor({ state: "attached" });
    await tabTo(page, radios.first(), 200);
    await page.keyboard.press("Space");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await press(page, page.getByRole("slider", { name: "Shares" }), "ArrowRight");
  await press(page, page.getByRole("button", { name: "Blend", exact: true }));
  const id = await newJob("voice-blender", [], { key });
  const record = await ended(`/voice-blender/${id}`, { key });
  assert.deepEqual([record.status, record.alpha], ["success", 0.45]);
});
