// What the page itself may do, and what strangers' texts come to in it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newPage, startBrowser } from "../lib/browser.mjs";
import { MARKUP, assertInert, screens } from "../lib/hostile.mjs";
import { open, signIn, signOut } from "../lib/page.mjs";
import { json, newKey, url } from "../lib/server.mjs";
import { proxy, strangersPage } from "../lib/strangers.mjs";

const browser = await startBrowser();

/** What the policy refuses when `attempt` is made in the page, by directive. */
async function refused(page, attempt, argument) {
  await page.evaluate(() => {
    window.refused = [];
    document.addEventListener("securitypolicyviolation", (event) => window.refused.push(event.effectiveDirective));
  });
  await page.evaluate(attempt, argument);
  await page.waitForFunction(() => window.refused.length > 0);
  return page.evaluate(() => window.refused);
}

test("the policy of the page refuses what is inline and what lies elsewhere", async () => {
  const elsewhere = await strangersPage();
  const attempts = [
    ["script-src-elem", () => document.body.append(Object.assign(document.createElement("script"), { text: "window.ran = 1" }))],
    ["script-src-elem", () => document.body.append(Object.assign(document.createElement("script"), { src: "data:text/javascript,window.ran=1" }))],
    ["script-src-elem", () => document.body.append(Object.assign(document.createElement("script"), { src: URL.createObjectURL(new Blob(["window.ran=1"])) }))],
    [
      "script-src-attr",
      () => {
        document.body.setAttribute("onclick", "window.ran = 1");
        document.body.click();
      },
    ],
    ["style-src-elem", () => document.body.append(Object.assign(document.createElement("style"), { textContent: "*{}" }))],
    ["style-src-attr", () => document.body.setAttribute("style", "color: red")],
    ["connect-src", (address) => fetch(address).catch(() => {}), elsewhere],
    ["img-src", (address) => document.body.append(Object.assign(document.createElement("img"), { src: address })), elsewhere],
    ["script-src-elem", (address) => document.body.append(Object.assign(document.createElement("script"), { src: address })), elsewhere],
    ["frame-src", (address) => document.body.append(Object.assign(document.createElement("iframe"), { src: address })), elsewhere],
    ["base-uri", (address) => document.head.append(Object.assign(document.createElement("base"), { href: address })), elsewhere],
  ];
  for (const [directive, attempt, argument] of attempts) {
    const page = await newPage(browser);
    await open(page);
    assert((await refused(page, attempt, argument)).includes(directive), `${directive}: ${attempt}`);
    assert.equal(await page.evaluate(() => window.ran), undefined, String(attempt));
    await page.context().close();
  }
});

test("texts of strangers stay texts on every screen", async () => {
  for (const [number, markup] of MARKUP.entries()) {
    const { key } = await newKey(markup, ["read", "write", "admin"], { label: markup });
    const headers = { "content-type": "application/json" };
    const [one, two] = (await json("/voice-models", { key })).data;
    const blend = { modelId1: one.id, modelId2: two.id, alpha: 0.5, title: `${number} ${markup}` };
    await json("/voice-blender", { method: "POST", headers, body: JSON.stringify(blend), key });
    const page = await newPage(browser);
    await signIn(page, { key });
    await assertInert(page, "the first screen");
    for (const screen of await screens(page)) {
      await page.goto(`${url}/${screen}`);
      await page.waitForLoadState("networkidle");
      await assertInert(page, screen);
    }
    const scripts = page.complaints.filter((text) => /Content Security Policy/.test(text));
    assert.deepEqual(scripts, [], "the policy had to step in");
    await page.context().close();
  }
});

test("the console works under a prefix of a proxy", async () => {
  const at = await proxy(url, "/voice");
  const page = await newPage(browser);
  await signIn(page, { at });
  await signOut(page);
  const wrong = page.complaints.filter((text) => /404|Failed to load/.test(text) && !/401/.test(text));
  assert.deepEqual(wrong, []);
});
