// Takes the pictures of `docs/pictures`, each of a screen with real work on it. Run by `cargo xtask pictures`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { newPage, startBrowser } from "./lib/browser.mjs";
import { newJob, pickFile, signIn } from "./lib/page.mjs";
import { adminKey, ended, fixture } from "./lib/server.mjs";

const folder = fixture("../../docs/pictures");
await mkdir(folder, { recursive: true });
const browser = await startBrowser();

/** A page of one person's, whose screens are taken. */
async function studio(colorScheme) {
  const page = await newPage(browser, { viewport: { width: 1280, height: 860 }, colorScheme, reducedMotion: "reduce" });
  await signIn(page, { screen: "#/convert" });
  return page;
}

/** Lets what is drawn late be drawn, and takes the picture. */
async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(800);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

test("pictures", async () => {
  const page = await studio("dark");
  await pickFile(page, fixture("sound/sung.wav"));
  const chain = page.getByRole("group", { name: "After the voice" });
  for (const effect of ["Compressor", "Reverb"]) {
    await chain.getByRole("button", { name: "Add an effect" }).click();
    await page.getByRole("dialog").getByRole("searchbox").fill(effect);
    await page.getByRole("dialog").getByText(effect, { exact: true }).click();
  }
  await page.locator("input[type=radio][name^=voices]").first().check({ force: true });
  await page.getByRole("button", { name: /^convert/i }).last().click();
  await page.getByRole("button", { name: "I keep to these terms" }).click();
  await ended(`/voice-conversions/${await newJob("voice-conversions", [])}`);
  await page.getByRole("link", { name: /^download result as/i }).first().waitFor();
  await take(page, "console-convert");
  await chain.scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Listen to the effects" }).last().click();
  await page.getByRole("region", { name: /^Listen to these effects/ }).scrollIntoViewIfNeeded();
  await take(page, "console-effects");
  await page.close();

  const light = await studio("light");
  await light.goto(`${light.url().split("#")[0]}#/split`);
  await pickFile(light, fixture("sound/speech.mp3"));
  await light.getByRole("button", { name: "Split", exact: true }).click();
  await ended(`/stem-splits/${await newJob("stem-splits", [], { key: adminKey })}`);
  await light.getByRole("button", { name: "Play the mix" }).waitFor();
  await take(light, "console-split");
  for (const [screen, name] of [
    ["blend", "console-blend"],
    ["operators", "console-operators"],
  ]) {
    await light.goto(`${light.url().split("#")[0]}#/${screen}`);
    await light.getByRole("heading", { level: 1 }).waitFor();
    if (screen === "blend") {
      for (const button of ["Choose the first voice", "Add a voice", "Add a voice"]) {
        await light.getByRole("button", { name: button }).click();
        await light.getByRole("dialog").locator("input[type=radio]").first().click({ force: true });
      }
    }
    await take(light, name);
  }
});
