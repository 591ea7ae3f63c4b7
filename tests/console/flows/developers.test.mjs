import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { MARKUP, assertInert } from "../lib/hostile.mjs";
import { assertAccessible, signIn } from "../lib/page.mjs";
import { api, json, newKey, root, url } from "../lib/server.mjs";

/** Answers of 401 are logged as errors: who is not signed in yet is told so. */
const REFUSED = [/401/];
const ALL = ["read", "write", "admin"];
/** Makes users of this run: sessions and webhooks of an earlier one would be in the lists. */
const RUN = Date.now().toString(36);
const browser = await startBrowser();

/** A page that is signed in as `user`, on a tab of the screen. */
async function opened(user, tab, scopes = ALL) {
  const { id, key } = await newKey(`${user}-${RUN}`, scopes);
  const page = await newPage(browser);
  await signIn(page, { key, screen: `#/developers/${tab}` });
  await page.getByRole("tab", { selected: true }).first().waitFor();
  return { page, id, key };
}

/** The secret that a dialog shows, which is gone with it. */
async function shownOnce(page, label) {
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: label });
  const secret = (await field.textContent()).trim();
  // A stray Escape warns instead of losing it.
  await page.keyboard.press("Escape");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await dialog.waitFor({ state: "detached" });
  const left = await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  assert(!left.includes(secret), "the secret is still in the page");
  return secret;
}

/** A receiver of webhooks on this machine, and what came to it. */
async function receiver() {
  const arrived = [];
  const server = createServer(async (asked, answer) => {
    const pieces = [];
    for await (const piece of asked) pieces.push(piece);
    arrived.push({ headers: asked.headers, body: Buffer.concat(pieces).toString() });
    answer.end(`<img src=x onerror="window.ran='answer'">`);
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  after(() => server.close());
  return { address: `http://127.0.0.1:${server.address().port}/hook`, arrived };
}

/** The signature that a delivery must have. */
function signature(secret, { headers, body }) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("a key is made, shown once, works, and is revoked", async () => {
  const { page } = await opened("console-developer", "keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label").fill("nightly");
  await dialog.getByRole("switch", { name: "Write" }).press("Space");
  await dialog.getByLabel("How long it works").selectOption("30");
  await dialog.getByRole("button", { name: "Make a key" }).click();
  const key = await shownOnce(page, "The new key");
  const me = await json("/me", { key });
  assert.deepEqual([me.user.name, me.key.label, me.key.scopes], [`console-developer-${RUN}`, "nightly", ["read"]]);
  const days = (new Date(me.key.expiresAt.replace(" ", "T").replace(" ", "")) - Date.now()) / 86_400_000;
  assert(days > 29 && days <= 30, `${days} days`);

  await page.getByRole("button", { name: "Revoke nightly" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await api("/me", { key })).status, 401);
  await page.getByRole("button", { name: "Revoke nightly" }).waitFor({ state: "detached" });
  assertQuiet(page, REFUSED);
});

test("other sessions are ended, and who may make no keys is told who does", async () => {
  const { page, key } = await opened("console-guest", "keys", ["read", "write"]);
  const other = await newPage(browser);
  await signIn(other, { key });
  await page.reload();
  await page.getByText(`vocalhost keys create --user console-guest-${RUN}`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Make a key" }).count(), 0);
  await page.getByRole("button", { name: /^End the session/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await other.evaluate(async () => (await fetch("console/session")).status), 401);
  assert.equal(await page.evaluate(async () => (await fetch("console/session")).status), 200);
  assertQuiet(page, REFUSED);
});

test("a webhook is added, tested, replayed, paused and deleted", async () => {
  const { address, arrived } = await receiver();
  const { page, key } = await opened("console-hooks", "webhooks", ["read", "write"]);
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Address", { exact: true });
  const add = dialog.getByRole("button", { name: "Add a webhook" });
  await field.fill("http://10.0.0.1/inside");
  await add.click();
  await dialog.getByText("`url` cannot be used").first().waitFor();
  await field.fill(address);
  await dialog.getByRole("switch", { name: /cancelled/ }).press("Space");
  await add.click();
  const secret = await shownOnce(page, "The secret");
  const [hook] = (await json("/webhooks", { key })).data;
  assert.deepEqual([hook.url, hook.events], [address, ["job.success", "job.error"]]);

  await page.getByRole("link", { name: /^Deliveries/ }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Delivered", { exact: true }).waitFor();
  assert.equal(arrived.length, 1);
  assert.equal(JSON.parse(arrived[0].body).type, "webhook.test");
  assert.equal(arrived[0].headers["webhook-signature"], signature(secret, arrived[0]));
  await page.getByText("One try").click();
  await page.getByText("window.ran='answer'").waitFor();
  await assertInert(page, "the answer of a receiver");
  await assertAccessible(page, "deliveries");
  await page.getByRole("button", { name: /^Send again/ }).click();
  await page.getByText("2 tries").waitFor();
  assert.equal(arrived.length, 2);

  await page.getByRole("link", { name: "All webhooks" }).click();
  await page.getByRole("button", { name: /^Pause/ }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  assert.equal((await json(`/webhooks/${hook.id}`, { key })).enabled, false);
  await page.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nobody is told yet").waitFor();
  assert.equal((await api(`/webhooks/${hook.id}`, { key })).status, 404);
  assertQuiet(page, [...REFUSED, /422/]);
});

test("usage shows each limit in words and as a bar", async () => {
  const { page, key } = await opened("console-usage", "usage", ["read"]);
  const used = await json("/usage", { key });
  const running = page.getByRole("meter", { name: "Jobs at work" });
  await running.waitFor();
  assert.equal(await running.getAttribute("aria-valuemax"), String(used.jobs.maxRunning));
  await page.getByText(`0 of ${used.jobs.maxQueued}`).waitFor();
  await assertAccessible(page, "usage");
  assertQuiet(page, REFUSED);
});

test("the reference shows every operation, finds them, and opens each", async () => {
  const { page } = await opened("console-reader", "reference", ["read"]);
  const { paths, webhooks } = await (await fetch(`${root}/openapi.json`)).json();
  const items = [...Object.values(paths), ...Object.values(webhooks)];
  const ids = items.flatMap((item) => Object.values(item).map((one) => one.operationId)).filter((id) => id !== undefined);
  assert(ids.length > 50, `${ids.length} operations`);
  await page.getByText(`${ids.length} operations`).waitFor();
  const shown = await page.locator(".ref-entry").evaluateAll((all) => all.map((one) => one.id.replace("op-", "")));
  assert.deepEqual(shown.sort(), ids.sort());

  // All at once: none may fail, and none may leave out what it answers or how it is asked.
  await page.evaluate(() => {
    for (const button of document.querySelectorAll('.ref-entry h3 button[aria-expanded="false"]')) button.click();
  });
  await page.waitForFunction((count) => document.querySelectorAll(".ref-body").length === count, ids.length);
  const bare = await page.locator(".ref-entry").evaluateAll((all) => all.filter((one) => !/Answers/.test(one.textContent) || one.querySelector("pre") === null).map((one) => one.id));
  assert.deepEqual(bare, []);

  await page.getByRole("searchbox").fill("rotateWebhookSecret");
  await page.getByText("One operation", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("");
  await page.goto(`${url}/#/developers/reference/createWebhook`);
  await page.reload();
  const entry = page.locator("#op-createWebhook");
  await entry.getByText("`url`").or(entry.getByText("events", { exact: true })).first().waitFor();
  await entry.getByText("/api/v1/webhooks'").waitFor();
  // One row is like the other: a look at a few is enough.
  await page.getByRole("searchbox").fill("/webhooks post");
  await assertAccessible(page, "reference");
  assertQuiet(page, REFUSED);
});

test("labels and addresses of strangers stay texts, also where they are asked about", async () => {
  const [label, note] = [MARKUP[0], MARKUP[1]];
  const { key } = await newKey(`console-hostile-${RUN}`, ALL, { label });
  const headers = { "content-type": "application/json" };
  const address = `https://hooks.example/${encodeURIComponent(MARKUP[2])}?a="><script>window.ran=1</script>`;
  await json("/webhooks", { method: "POST", headers, key, body: JSON.stringify({ url: address, description: note }) });
  const page = await newPage(browser);
  await signIn(page, { key, screen: "#/developers/keys" });
  await page.getByText(label, { exact: true }).waitFor();
  await assertAccessible(page, "keys");
  await page.getByRole("button", { name: /^Revoke/ }).first().click();
  await assertInert(page, "a key's label");
  await page.keyboard.press("Escape");
  await page.goto(`${url}/#/developers/webhooks`);
  await page.getByText(note, { exact: true }).first().waitFor();
  await assertAccessible(page, "webhooks");
  await page.getByRole("button", { name: /^Change/ }).click();
  await assertInert(page, "a webhook's note and address");
  assertQuiet(page, REFUSED);
});
