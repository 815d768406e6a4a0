/** Hostile names and texts: every page shows them unchanged, and runs nothing of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_CHROMIUM, usePortal } from "./browser.ts";
import { fill, type Words } from "./content.ts";
import { ORGANIZATION_PAGES, OWN_PAGES } from "./pages.ts";

const portal = usePortal();

/** Each would call `stolen()` as markup, an address, a template or a style. */
const SCRIPT = `<img src=x onerror=stolen(1)><script>stolen(2)</script>`;
const HOSTILE: Words = {
  name: `"><svg onload=stolen(3)> {{7*7}} \${stolen(4)}`,
  message: `${SCRIPT} javascript:stolen(5) </script><script>stolen(6)</script> \u202Etxt.exe`,
  filename: `${SCRIPT.replaceAll("/", "\u2215")} "a";b=c.txt`,
  header: `'"><iframe srcdoc="<script>stolen(7)</script>"></iframe>`,
  label: `<style>*{display:none}</style><a href="javascript:stolen(8)">x</a>`,
};

test(
  "hostile names, log lines, file names, header fields and image labels are shown as text everywhere",
  { skip: NO_CHROMIUM },
  async () => {
    await fill(portal.shared, HOSTILE);
    const tab = await portal.open();
    const stolen: unknown[] = [];
    await tab.context.exposeFunction("stolen", (value: unknown) => stolen.push(value));
    const { org, app, webhook } = portal.shared.home;
    const paths = [
      ...ORGANIZATION_PAGES.map((page) => `/o/${org.slug}/-/${page}`.replace(/\/$/, "")),
      `/o/${org.slug}/-/images/${app.id}`,
      `/o/${org.slug}/-/buckets/${app.slug}`,
      `/o/${org.slug}/-/webhooks/${webhook.id}`,
      ...["names", "trash"].map((view) => `/o/${org.slug}/-/files?view=${view}`),
      ...OWN_PAGES,
    ];
    for (const path of paths) {
      await tab.go(path);
      await openEverything(tab.page);
      const foreign = await tab.page
        .locator("iframe, script:not([src]), [onload], [onerror], a[href^='javascript:' i]")
        .count();
      assert.equal(foreign, 0, `${path} has markup of a name`);
      assert.deepEqual(tab.faults.splice(0), [], path);
    }
    assert.deepEqual(stolen, []);
    await tab.close();
  },
);

/** Opens the first rows, tabs and folds of a page, so that their content is shown too. */
async function openEverything(page: Page): Promise<void> {
  for (const selector of ["[data-opener]", '[role="tab"]', "summary"]) {
    const all = page.locator(`main ${selector}`);
    for (let i = 0; i < Math.min(4, await all.count()); i++) {
      const each = all.nth(i);
      if (await each.isVisible()) await each.click({ timeout: 2_000 }).catch(() => undefined);
    }
  }
}

test("hostile text is shown as text", { skip: NO_CHROMIUM }, async () => {
  await fill(portal.shared, HOSTILE);
  const tab = await portal.open();
  const { org } = portal.shared.home;
  for (const [path, text] of [
    ["credentials", HOSTILE.name],
    ["explore", "<img src=x onerror=stolen(1)>"],
    ["files", "<img src=x onerror=stolen(1)>"],
    ["files?view=trash", "<img src=x onerror=stolen(1)>"],
    ["projects", HOSTILE.name],
  ] as const) {
    await tab.go(`/o/${org.slug}/-/${path}`);
    await tab.page.getByText(text).first().waitFor();
  }
  await tab.close();
});
