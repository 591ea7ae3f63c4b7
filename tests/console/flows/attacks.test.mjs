// What a page of another origin can do while somebody is signed in to the console: nothing. The strangers' pages here are at another port
// of the same address, where the browser sends the cookie along although it is `SameSite=Strict`.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { newPage, startBrowser } from "../lib/browser.mjs";
import { signIn } from "../lib/page.mjs";
import { adminKey, json, newKey, root, url } from "../lib/server.mjs";
import { cookieTaker, strangersPage } from "../lib/strangers.mjs";

const browser = await startBrowser();
const stranger = await strangersPage();
let victim;
let page;

before(async () => {
  victim = await newPage(browser);
  await signIn(victim);
  page = await victim.context().newPage();
  await page.goto(stranger);
});

/** Whether the victim is still signed in, and as whom. */
async function signedIn() {
  return victim.evaluate(async () => {
    const answer = await fetch("console/session");
    return answer.ok ? (await answer.json()).user : null;
  });
}

const pipelines = async () => (await json("/pipelines")).meta.total;

/** What a request of the stranger's page comes to: the status that it can read, or `blocked`. */
const asked = (address, init) =>
  page.evaluate(
    ([address, init]) =>
      fetch(address, { credentials: "include", ...init }).then(
        (answer) => answer.status,
        () => "blocked",
      ),
    [address, init],
  );

test("the cookie does travel to another port, so that what follows tests the server", async () => {
  const { address, cookies } = await cookieTaker();
  await asked(address, { mode: "no-cors" });
  assert.equal(cookies.length, 1);
  assert(cookies[0].includes("vocalhost_session="), "no cookie was sent");
});

test("it reads nothing", async () => {
  for (const path of ["/me", "/pipelines", "/admin/keys", "/me/sessions", "/usage"]) {
    assert.equal(await asked(root + path, {}), "blocked", path);
  }
  assert.equal(await asked(`${url}/console/session`, {}), "blocked");
});

test("a script tag with an answer in it runs nothing", async () => {
  const ran = await page.evaluate(
    (address) =>
      new Promise((go) => {
        const script = document.createElement("script");
        script.onload = () => go("loaded");
        script.onerror = () => go("failed");
        script.src = address;
        document.head.append(script);
      }),
    `${root}/me`,
  );
  assert.equal(ran, "failed");
});

test("it follows no events", async () => {
  const opened = await page.evaluate(
    (address) =>
      new Promise((go) => {
        const source = new EventSource(address, { withCredentials: true });
        source.onopen = () => go(true);
        source.onerror = () => go(false);
      }),
    `${root}/voice-conversions/1/events`,
  );
  assert.equal(opened, false);
});

test("it changes nothing by simple requests", async () => {
  const before = await pipelines();
  const body = JSON.stringify({ name: "stolen", chain: [] });
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    await asked(`${root}/pipelines`, { method: "POST", mode: "no-cors", headers: { "content-type": type }, body });
  }
  assert.equal(await pipelines(), before);
});

test("it changes nothing by requests that ask first", async () => {
  const before = await pipelines();
  const headers = { "content-type": "application/json", "x-vocalhost-console": "1" };
  const body = JSON.stringify({ name: "stolen", chain: [] });
  assert.equal(await asked(`${root}/pipelines`, { method: "POST", headers, body }), "blocked");
  assert.equal(await asked(`${root}/admin/users/1`, { method: "DELETE", headers }), "blocked");
  assert.equal(await pipelines(), before);
});

test("it changes nothing by a form that it sends", async () => {
  const jobs = async () => (await json("/stem-splits")).meta.total;
  const before = await jobs();
  const other = await page.context().newPage();
  await other.goto(stranger);
  const [answer] = await Promise.all([
    other.waitForNavigation(),
    other.evaluate((address) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: address, enctype: "multipart/form-data" });
      const field = Object.assign(document.createElement("input"), { name: "inputFile", value: "x" });
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${root}/stem-splits`),
  ]);
  assert.equal(answer.status(), 403);
  const problem = await answer.json();
  assert.match(problem.detail, /must come from the console/);
  assert.equal(await jobs(), before);
  await other.close();
});

test("it signs nobody out", async () => {
  assert.equal(await asked(`${url}/console/session`, { method: "DELETE" }), "blocked");
  await asked(`${url}/console/session`, { method: "POST", mode: "no-cors", body: "" });
  assert.equal(await signedIn(), "admin");
});

test("it signs nobody in as somebody else", async () => {
  const { key } = await newKey("attacker");
  const body = JSON.stringify({ key });
  const json = { "content-type": "application/json" };
  assert.equal(await asked(`${url}/console/session`, { method: "POST", headers: json, body }), "blocked");
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const init = { method: "POST", mode: "no-cors", headers: { "content-type": type }, body };
    await asked(`${url}/console/session`, init);
  }
  assert.equal(await signedIn(), "admin");
});

test("it cannot show the console in a frame", async () => {
  await page.evaluate((address) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
    return new Promise((go) => frame.addEventListener("load", go, { once: true }));
  }, `${url}/`);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  assert.equal(await frame.locator("#app, main").count(), 0);
});

test("a window that it opens is out of its reach", async () => {
  const [opened, closed] = await Promise.all([
    page.context().waitForEvent("page"),
    page.evaluate(async (address) => {
      const opened = window.open(address);
      for (let count = 0; count < 1_200 && !opened.closed; count += 1) await new Promise((go) => setTimeout(go, 50));
      return opened.closed;
    }, `${url}/`),
  ]);
  await opened.waitForLoadState();
  assert.equal(closed, true, "the page has another opener policy");
  assert.equal(await opened.evaluate(() => window.opener), null);
  await opened.close();
});

test("a worker of its own has no more rights", async () => {
  const status = await page.evaluate(
    (address) =>
      new Promise((go) => {
        const text = `fetch(${JSON.stringify(address)}, {credentials:"include"}).then((a) => postMessage(a.status), () => postMessage("blocked"))`;
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        worker.onmessage = ({ data }) => go(data);
      }),
    `${root}/me`,
  );
  assert.equal(status, "blocked");
});

test("a link of its own to the API shows nothing and changes nothing", async () => {
  const other = await page.context().newPage();
  await other.goto(stranger);
  const [answer] = await Promise.all([
    other.waitForNavigation(),
    other.evaluate((address) => location.assign(address), `${root}/me`),
  ]);
  assert.equal(answer.status(), 403);
  await other.close();
});

test("a stolen token is of no use as a key", async () => {
  const cookies = await victim.context().cookies();
  const { value } = cookies.find((one) => one.name === "vocalhost_session");
  const answer = await fetch(`${root}/me`, { headers: { authorization: `Bearer ${value}` } });
  assert.equal(answer.status, 401);
  assert.notEqual(value, adminKey);
});
