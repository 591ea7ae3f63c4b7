// Texts of strangers that would run something in a page that took them for markup.
import assert from "node:assert/strict";

/** Markup that sets `window.ran` in whatever way a page might let it; at most 120 characters, for names are short. */
export const MARKUP = [
  `<img src=x onerror="window.ran='image'">`,
  `"><script>window.ran='script'</script>`,
  `<svg onload="window.ran='svg'"></svg>`,
  `</title><style onload="window.ran='style'">*{color:red}</style>`,
  `<iframe srcdoc="<script>parent.ran='frame'</script>"></iframe>`,
  `' onmouseover='window.ran=1' autofocus onfocus='window.ran=1`,
];

/** Every screen that the page has a link to. */
export async function screens(page) {
  const links = await page.locator('a[href^="#"]').evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  return [...new Set(links)];
}

/** Nothing of `MARKUP` has run, and none of it has become an element. */
export async function assertInert(page, where) {
  const found = await page.evaluate(() => ({
    ran: window.ran,
    elements: document.querySelectorAll('[onerror], [onload], [onfocus], [onmouseover], iframe[srcdoc], img[src="x"]').length,
  }));
  assert.deepEqual(found, { ran: undefined, elements: 0 }, where);
}
