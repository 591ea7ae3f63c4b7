import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, keyField, open, signIn, signOut } from "../lib/page.mjs";
import { adminKey, json, newKey } from "../lib/server.mjs";

const REFUSED = [/401/];
const browser = await startBrowser();

/** What the page itself learns of its session. */
const session = (page) => page.evaluate(async () => (await fetch("console/session")).status);

test("a key is exchanged for a session that outlives a reload, and signing out ends it", async () => {
  const page = await newPage(browser);
  await signIn(page);
  assert.equal(await session(page), 200);
  await page.reload();
  assert.equal(await session(page), 200);
  assert.equal(await keyField(page).count(), 0);
  await signOut(page);
  assert.equal(await session(page), 401);
  assertQuiet(page, REFUSED);
});

test("the key is kept nowhere in the browser, and no script sees the cookie", async () => {
  const page = await newPage(browser);
  await signIn(page);
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    return JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, databases, location.href]);
  });
  const secret = adminKey.split(".")[1];
  assert(!kept.includes(secret), kept);
  const cookies = await page.context().cookies();
  const cookie = cookies.find((one) => one.name === "vocalhost_session");
  assert(!cookie.value.includes(secret));
  assert(!kept.includes(cookie.value), kept);
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/"]);
});

test("a wrong key is refused with a sentence, and the field is there for another try", async () => {
  const page = await newPage(browser);
  await open(page);
  await keyField(page).fill("12345678.wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").first().waitFor();
  assert.equal(await keyField(page).count(), 1);
  assert.equal(await session(page), 401);
  assertQuiet(page, REFUSED);
});

test("revoking the key ends the session at once", async () => {
  const { id, key } = await newKey("revoked");
  const page = await newPage(browser);
  await signIn(page, { key });
  await json(`/admin/keys/${id}`, { method: "DELETE" });
  assert.equal(await session(page), 401);
  await page.reload();
  await keyField(page).waitFor();
});

test("signing in needs the keyboard alone", async () => {
  const page = await newPage(browser);
  await open(page);
  await keyField(page).waitFor();
  for (let presses = 0; presses < 20; presses += 1) {
    if (await keyField(page).evaluate((field) => field === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type(adminKey);
  await page.keyboard.press("Enter");
  await keyField(page).waitFor({ state: "detached" });
  assert.equal(await session(page), 200);
});

test("the screen for signing in has no fault of accessibility", async () => {
  const page = await newPage(browser);
  await open(page);
  await keyField(page).waitFor();
  await assertAccessible(page, "sign in");
});
