import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { MARKUP, assertInert } from "../lib/hostile.mjs";
import { assertAccessible, dropFile, open, signIn } from "../lib/page.mjs";
import { api, fixture, json, newKey } from "../lib/server.mjs";

const TABS = ["", "/users", "/keys", "/models", "/effects", "/jobs", "/nodes", "/audit"].map((tab) => `#/operators${tab}`);
const [ECHO, CORE] = ["echo.wasm", "ring.core.wasm"].map((name) => readFileSync(fixture(`frozen-effects/0.1.0/${name}`)));
const browser = await startBrowser();

/** A page in which the operator has opened a tab. */
async function opened(screen, options) {
  const page = await newPage(browser, options);
  await signIn(page, { screen });
  await page.getByRole("heading", { level: 1, name: "Operators" }).waitFor();
  return page;
}

/** Waits until the tab shows what it has, or says that there is nothing. */
const filled = (page) => page.waitForFunction(() => document.querySelector("[role=tabpanel] table, [role=tabpanel] .empty") !== null);

/** The component with texts in it replaced by others, which must be as long. */
function altered(changes) {
  const component = Buffer.from(ECHO);
  for (const [text, other] of Object.entries(changes)) {
    const padded = other.padEnd(text.length, ".");
    assert.equal(padded.length, text.length);
    const at = component.indexOf(text);
    assert(at > 0, text);
    component.write(padded, at, "latin1");
  }
  return component;
}

const wasm = (name, buffer) => ({ name, mimeType: "application/wasm", buffer });
const dropped = (page, file) => dropFile(page.locator("body"), file);

test("a user is made with a key that is shown once, limited, shut out, and removed", async () => {
  const page = await opened("#/operators/users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("console-made");
  await dialog.getByRole("button", { name: "Make the user and a key" }).click();
  const shown = page.getByRole("dialog", { name: "The key of console-made" });
  const key = (await shown.getByRole("textbox", { name: "Key" }).textContent()).trim();
  assert.equal((await json("/me", { key })).user.name, "console-made");
  await shown.getByRole("button", { name: "I have it" }).click();
  await shown.waitFor({ state: "detached" });
  const kept = await page.evaluate(() => JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }]));
  assert(!kept.includes(key.split(".")[1]), "the key is still there");

  await page.getByRole("link", { name: "console-made" }).click();
  const limit = page.getByLabel("Jobs at a time");
  await limit.fill("0");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/must be a whole number from 1/).first().waitFor();
  await limit.fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The limits of console-made were changed.").waitFor();
  const id = page.url().split("/").at(-1);
  assert.equal((await json(`/admin/users/${id}`)).limits.maxRunning, 1);

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText(/^Disabled since/).waitFor();
  assert.equal((await api("/me", { key })).status, 401);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText(/^Disabled since/).waitFor({ state: "detached" });
  assert.equal((await api("/me", { key })).status, 200);

  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("console-made was removed.").waitFor();
  assert.equal((await api(`/admin/users/${id}`)).status, 404);
  // Nobody was signed in at first, and the limit of 0 was refused.
  assertQuiet(page, [/401/, /422/]);
});

test("an effect that is dropped is installed and its report shown; one that is broken is refused with the reason", async () => {
  const page = await opened("#/operators/effects");
  await dropped(page, wasm("ring.core.wasm", CORE));
  const said = await page.getByRole("alert").first().innerText();
  assert.match(said, /it is a core module/);
  await dropped(page, wasm("echo.wasm", ECHO));
  const report = page.getByRole("heading", { name: "Frozen echo 1.2.3-beta.4: what was found" });
  await report.waitFor();
  await page.getByText("Sound went through it within").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  const path = "/admin/effects/org.example.frozen-echo@1.2.3-beta.4";
  assert.equal((await json(path)).installedBy, "admin");

  await page.getByRole("button", { name: "Disable Frozen echo 1.2.3-beta.4" }).click();
  await page.getByRole("button", { name: "Enable Frozen echo 1.2.3-beta.4" }).waitFor();
  assert.equal((await json(path)).enabled, false);
  await page.getByRole("button", { name: "Remove Frozen echo 1.2.3-beta.4" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Frozen echo 1.2.3-beta.4 was removed.").waitFor();
  await report.waitFor({ state: "detached" });
  assert.equal((await api(path)).status, 404);
  assertQuiet(page, [/401/, /422/]);
});

test("who may not administer, or is on the address for clients, has no entry", async () => {
  const entry = (page) => page.getByRole("link", { name: "Operators" });
  const { key } = await newKey("console-plain");
  const plain = await newPage(browser);
  await signIn(plain, { key, screen: "#/operators" });
  await plain.getByRole("heading", { name: "Not here" }).waitFor();
  assert.equal(await entry(plain).count(), 0);

  // With `admin_listen` the server says so of its other address.
  const clients = await newPage(browser);
  await clients.route("**/console/config.json", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), surface: "clients" } });
  });
  await signIn(clients, { screen: "#/operators" });
  await clients.getByRole("heading", { name: "Not here" }).waitFor();
  assert.equal(await entry(clients).count(), 0);
});

test("names and descriptions of strangers stay texts on every tab", async () => {
  await newKey(MARKUP[0], ["read"], { label: MARKUP[2] });
  await json("/admin/effects", {
    method: "POST",
    headers: { "content-type": "application/wasm" },
    body: altered({
      "org.example.frozen-echo": "org.example.hostil-echo",
      "Frozen echo": "<b>echo</b>",
      "Says it twice, and proves that old components run.": `<img src=x onerror="window.ran='effect'">`,
    }),
  });
  const page = await opened("#/operators");
  for (const tab of [...TABS, "#/operators/effects/org.example.hostil-echo@1.2.3-beta.4"]) {
    await open(page, tab);
    await filled(page);
    await assertInert(page, tab);
  }
  await page.getByRole("heading", { name: "<b>echo</b> 1.2.3-beta.4: what was found" }).waitFor();
  await page.getByRole("tab", { name: "Users" }).click();
  await page.getByRole("link", { name: MARKUP[0] }).click();
  await page.getByRole("heading", { name: MARKUP[0] }).waitFor();
  await assertInert(page, "the user's page");
  await api("/admin/effects/org.example.hostil-echo@1.2.3-beta.4", { method: "DELETE" });
  assertQuiet(page, [/401/]);
});

test("the audit log is narrowed down to an action, and the jobs to a user", async () => {
  const page = await opened("#/operators/audit");
  await page.getByLabel("What", { exact: true }).fill("createKey");
  await page.getByLabel("What", { exact: true }).press("Enter");
  await page.waitForURL(/action=createKey/);
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  await rows.first().waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("tbody tr")].every((row) => row.textContent.includes("createKey")));
  await open(page, "#/operators/jobs?user=nobody-at-all");
  await page.getByText("No such jobs").waitFor();
  assert.equal(await page.getByLabel("User", { exact: true }).inputValue(), "nobody-at-all");
});

test("the servers are listed with what they do", async () => {
  const page = await opened("#/operators/nodes");
  const [only, ...others] = (await json("/admin/nodes")).data;
  assert.deepEqual(others, []);
  const row = page.getByRole("row").filter({ hasText: only.name });
  for (const words of [only.release, "There", "Everything", "Conversion, Separation, Stem split, Blend, Training"]) await row.getByText(words, { exact: true }).waitFor();
});

test("the figures are said in words, and no tab has a fault of accessibility or is too wide for a telephone", async () => {
  const page = await opened("#/operators", { viewport: { width: 360, height: 740 } });
  await page.getByRole("img", { name: /^Jobs\. Running: \d+ now, between/ }).waitFor();
  await page.getByText("The server takes work.").waitFor();
  for (const tab of TABS) {
    await open(page, tab);
    await filled(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wider <= 0, `${tab} is ${wider} pixels too wide`);
  }
  // Two tabs have every part that the others are made of; few rows are looked at as well as many.
  for (const tab of ["#/operators", "#/operators/effects?search=reverb"]) {
    await open(page, tab);
    await filled(page);
    await assertAccessible(page, tab);
  }
});
