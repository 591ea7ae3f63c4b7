// What every flow does with the console's page. Things are found as people find them: by their role and their name.
import assert from "node:assert/strict";

import { loaded } from "./packages.mjs";
import { adminKey, json, url } from "./server.mjs";

/** The field for the key, which only the screen for signing in has. */
export const keyField = (page) => page.locator("input[type=password]");

/** Opens a screen, such as `#/jobs`, at `at` (the server, or a proxy in front of it). */
export async function open(page, screen = "", at = url) {
  await page.goto(`${at}/${screen}`);
}

/** Signs in with a key. */
export async function signIn(page, { key = adminKey, screen = "", at = url } = {}) {
  await open(page, screen, at);
  await keyField(page).fill(key);
  await page.keyboard.press("Enter");
  await keyField(page).waitFor({ state: "detached" });
}

/** Signs out. */
export async function signOut(page) {
  const control = page.getByRole("button", { name: /sign out|abmelden/i });
  await control.first().click();
  await keyField(page).waitFor();
}

/** Puts a file into a field for files, which may be hidden behind a label. `file` is a path or `{name, mimeType, buffer}`. */
export async function pickFile(page, file, field = page.locator("input[type=file]").first()) {
  await field.setInputFiles(file);
}

/** Drops a file on an element, as from a file manager. */
export async function dropFile(target, { name, mimeType, buffer }) {
  const transfer = await target.page().evaluateHandle(
    ({ name, mimeType, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name, { type: mimeType }));
      return transfer;
    },
    { name, mimeType, bytes: buffer.toString("base64") },
  );
  for (const type of ["dragenter", "dragover", "drop"]) await target.dispatchEvent(type, { dataTransfer: transfer });
}

/**
 * The newest job of a collection, such as `voice-conversions`, once the page has made it: not one of those in `before`. Where `page` says
 * why it made none, as on a machine that is too busy for it, that is tried `again` once, as a person would.
 */
export async function newJob(collection, before, { key = adminKey, patience = 300_000, page, again } = {}) {
  const until = Date.now() + patience;
  let said = "";
  for (;;) {
    const { data } = await json(`/${collection}?order=desc&perPage=1`, { key });
    if (data.length > 0 && !before.includes(data[0].id)) return data[0].id;
    const refused = page?.locator(".problem[role=alert]").first();
    if (said === "" && (await refused?.isVisible())) {
      said = await refused.innerText();
      console.error(`the page says: ${said}`);
      await again?.();
    }
    assert(Date.now() < until, `the page made no job in ${collection}; it says: ${said || "nothing"}`);
    await new Promise((go) => setTimeout(go, 200));
  }
}

/** What is downloaded by `action`, as bytes. */
export async function downloaded(page, action) {
  const [download] = await Promise.all([page.waitForEvent("download"), action()]);
  const pieces = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(pieces) };
}

/** Finds no fault of accessibility on the screen that is shown, in either theme. */
export async function assertAccessible(page, name) {
  const AxeBuilder = await loaded("@axe-core/playwright");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const told = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
    assert.deepEqual(told, [], `${name}, ${colorScheme}`);
  }
}

/** Moves the focus with the Tab key alone until `wanted` has it. */
export async function tabTo(page, wanted, most = 80) {
  for (let count = 0; count < most; count += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${wanted} is not reached with ${most} presses of Tab`);
}
