import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, newJob, signIn } from "../lib/page.mjs";
import { api, ended, fixture, json, newKey } from "../lib/server.mjs";

const CHECKPOINT = fixture("checkpoints/rvc-v1-48k-f0.pth");
const INDEX = fixture("index/ivf-256.index");
const browser = await startBrowser();

async function signedIn(user, screen, options) {
  const { key } = await newKey(user);
  const page = await newPage(browser, options);
  await signIn(page, { key, screen });
  return { page, key };
}

test("a checkpoint with its index becomes a voice of one's own, is renamed, and goes again", async () => {
  const { page, key } = await signedIn("console-imports", "#/voices");
  await page.getByText("None of your own yet").waitFor();
  await assertAccessible(page, "voices");
  await page.locator("input[type=file]").first().setInputFiles([INDEX, CHECKPOINT]);
  await page.getByText("rvc-v1-48k-f0.pth", { exact: true }).waitFor();
  await page.getByLabel("Title").fill("Anna <b>of the house</b>");
  await page.getByText("Where it comes from and what it may be used for").click();
  await page.getByLabel("Consent").fill("Made of random numbers.");
  await assertAccessible(page, "import");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { name: "Imported: Anna <b>of the house</b>" }).waitFor();
  await page.getByText("What was found").waitFor();
  const { data } = await json("/voice-models?myModels=true", { key });
  assert.deepEqual(
    data.map(({ title }) => title),
    ["Anna <b>of the house</b>"],
  );

  await page.getByRole("button", { name: "Change Anna <b>of the house</b>" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Berta");
  await dialog.getByLabel("Tags").fill("alto, warm");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Berta was changed.").waitFor();
  const changed = await json(`/voice-models/${data[0].id}`, { key });
  assert.deepEqual([changed.title, changed.tags], ["Berta", ["alto", "warm"]]);

  await page.getByRole("button", { name: "Delete Berta" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("None of your own yet").waitFor();
  assert.equal((await api(`/voice-models/${data[0].id}`, { key })).status, 404);
  assertQuiet(page, [/401/]);
});

test("what is no model is refused with the server's sentence, at its file", async () => {
  const { page, key } = await signedIn("console-imports-nothing", "#/voices");
  const nothing = { name: "song.pth", mimeType: "application/octet-stream", buffer: Buffer.from("no model at all") };
  await page.locator("input[type=file]").first().setInputFiles([nothing]);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const alert = page.getByRole("alert").first();
  await alert.waitFor();
  assert.match(await alert.innerText(), /modelFile|model/);
  assert.deepEqual((await json("/voice-models?myModels=true", { key })).data, []);
});

test("what only a person can know of a model is asked as a form, and a wrong answer is pointed out there", async () => {
  const { key } = await newKey("console-answers", ["read", "write", "admin"]);
  const page = await newPage(browser);
  await signIn(page, { key, screen: "#/voices" });
  await page.locator("input[type=file]").first().setInputFiles([fixture("separation/mdx23c/mdx23c/model.onnx")]);
  await page.getByRole("switch", { name: "For everybody on this server" }).check({ force: true });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const questions = page.getByRole("region", { name: "What only you can know" });
  const stems = questions.getByLabel("stems");
  await stems.waitFor();
  await assertAccessible(page, "questions");
  assert.equal(await questions.getByRole("alert").count(), 0);
  await stems.fill("noise");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await questions.getByRole("alert").getByText(/noise/).waitFor();
  assert.equal(await stems.inputValue(), "noise");
});

test("two voices are blended on a line, three in a triangle, and the new one is used at once", async () => {
  const { page, key } = await signedIn("console-blends", "#/blend");
  const { data } = await json("/voice-models?perPage=100", { key });
  const singers = data.filter(({ tags, isUsable }) => isUsable && !tags.includes("instrument")).slice(0, 3);
  const add = async (name, voice) => {
    await page.getByRole("button", { name }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: new RegExp(`^${voice.title}`) }).click({ force: true });
    // Until it is gone, it gives the focus back to its button.
    await dialog.waitFor({ state: "hidden" });
  };
  await add("Choose the first voice", singers[0]);
  await add("Add a voice", singers[1]);
  const surface = page.getByRole("slider", { name: "Shares" });
  await surface.focus();
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("ArrowRight");
  assert.match(await surface.getAttribute("aria-valuetext"), /30 %.*70 %/);
  await add("Add a voice", singers[2]);
  const share = page.getByLabel(`Share of ${singers[0].title} (%)`);
  await share.fill("60");
  await share.press("Enter");
  await assertAccessible(page, "blend");
  await page.getByLabel("Title").fill("Three of them");
  await page.getByRole("button", { name: "Blend", exact: true }).click();
  const id = await newJob("voice-blender", [], { key });
  const record = await ended(`/voice-blender/${id}`, { key });
  assert.deepEqual(
    [record.status, record.model1Id, record.model2Id, record.model3Id, record.alpha],
    ["success", ...singers.map((voice) => voice.id), 0.6],
  );
  assert(Math.abs(record.alpha + record.alpha2 + record.alpha3 - 1) < 1e-9);
  await page.getByRole("heading", { name: "Three of them" }).waitFor();
  await page.getByRole("link", { name: "Use it at once" }).click();
  await page.getByRole("heading", { name: "Convert a voice" }).waitFor();
  await page.getByRole("complementary", { name: /./ }).getByText("Three of them").waitFor();
  assertQuiet(page, [/401/]);
});

test("voices that do not fit are refused with the reason", async () => {
  const { page, key } = await signedIn("console-blends-unlike", "#/blend");
  const form = new FormData();
  const { readFile } = await import("node:fs/promises");
  form.append("modelFile", new Blob([await readFile(CHECKPOINT)]), "a.pth");
  form.append("title", "Stranger");
  const made = await api("/voice-models", { key, method: "POST", body: form });
  assert.equal(made.status, 201);
  const { data } = await json("/voice-models?perPage=100", { key });
  const other = data.find(({ title }) => title !== "Stranger");
  await page.goto(`${page.url().split("#")[0]}#/voices`);
  const row = page.getByText("Stranger").first();
  await row.waitFor();
  // A voice that waits for its encoder can be chosen nowhere.
  assert(await page.getByRole("button", { name: "Blend Stranger" }).first().isDisabled());
  await page.goto(`${page.url().split("#")[0]}#/blend?voice=${other.id}`);
  await page.getByText(other.title).first().waitFor();
  assert(await page.getByRole("button", { name: "Blend", exact: true }).isDisabled());
});
