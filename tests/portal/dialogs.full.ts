/** Every dialog as at 200 % zoom: nothing exceeds the edge, and each of its buttons can be reached and seen. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../fixtures/process.ts";
import { axe, NO_CHROMIUM, settled, usePortal } from "./browser.ts";
import { fill } from "./content.ts";
import { walk } from "./keyboard-walk.ts";
import { useKeys } from "./keys.ts";
import { ORGANIZATION_PAGES, OWN_PAGES } from "./pages.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];

/** Buttons that may open a dialog. The test presses them on every page, and ignores those that open none. */
const OPENS =
  /^(?:New |Allowed|Create|Invite|Delete|Revoke|Rotate|Rename|Change|Edit|Remove|Transfer|Connect|Save|Explain|Erase|Add|Set up|Turn|Replace|How to|Make|Found)/;

const LOOKS = {
  "zoom 200": { zoom: 2, height: 800 },
  "forced colours": { height: 800 },
} as const;

for (const [name, look] of Object.entries(LOOKS)) {
  test(`the dialogs, ${name}`, { skip: NO_CHROMIUM }, async (t) => {
    await fill(portal.shared);
    const tab = await portal.open(look);
    if (name === "forced colours") await tab.page.emulateMedia({ forcedColors: "active" });
    const keys = await useKeys(tab.page);
    const found: string[] = [];
    const opened = new Set<string>();
    for (const path of await paths()) {
      await tab.go(path);
      for (const isOpen of [false, true]) {
        if (isOpen && !(await openRow(tab.page))) continue;
        for (const title of await openers(tab.page)) {
          const dialog = tab.page.getByRole("dialog");
          await tab.page
            .getByRole("button", { name: title, exact: true })
            .first()
            .click({ timeout: 3000 })
            .catch(() => undefined);
          if (!(await shows(tab.page))) continue;
          const label = String(
            await dialog
              .first()
              .getAttribute("aria-labelledby")
              .then((id) => tab.page.locator(`[id="${id}"]`).textContent({ timeout: 1000 }))
              .catch(() => title),
          );
          if (!opened.has(label)) {
            opened.add(label);
            found.push(
              ...(await faultsOf(tab.page, () => walk(keys), name)).map((fault) => `${path}, ${label}: ${fault}`),
            );
            if (PICTURES !== undefined) await picture(tab.page, `${name} ${label}`);
          }
          await tab.page.keyboard.press("Escape");
          await dialog
            .first()
            .waitFor({ state: "detached", timeout: 3000 })
            .catch(() => undefined);
          if ((await dialog.count()) > 0) {
            await tab.go(path);
            if (isOpen) await openRow(tab.page);
          }
        }
      }
    }
    t.diagnostic(`${opened.size} dialogs: ${[...opened].join(", ")}`);
    assert.ok(opened.size >= 15, `only ${opened.size} dialogs opened`);
    assert.equal(found.length, 0, found.join("\n"));
    assert.deepEqual(tab.faults, []);
    await tab.close();
  });
}

async function paths(): Promise<string[]> {
  const { org, webhook, app } = portal.shared.home;
  const pages = [...ORGANIZATION_PAGES, "files?view=trash", `webhooks/${webhook.id}?tab=settings`, `images/${app.id}`];
  return [
    ...pages.map((page) => `/o/${org.slug}/-/${page}`.replace(/\/$/, "")),
    ...OWN_PAGES,
    "/account?tab=sign-in",
    "/account?tab=tokens",
  ];
}

async function openRow(page: Page): Promise<boolean> {
  const first = page.locator("main [data-opener]").first();
  if ((await first.count()) === 0) return false;
  await eventually(`the first row of ${page.url()} to open`, async () => {
    // On a busy machine a dialog may open after `shows` gave up, and then covers the row.
    if ((await page.getByRole("dialog").count()) > 0) await page.keyboard.press("Escape");
    return first.click({ timeout: 3000 }).then(
      () => true,
      () => null,
    );
  });
  await settled(page);
  return page.locator("aside").isVisible();
}

/** Returns names of buttons. Rows are `openRow`'s: operations of the API have names such as "Change an app", too. */
async function openers(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>(
    `[...document.querySelectorAll("#root button:not(:disabled, [data-opener])")].filter((each) => each.checkVisibility()).map((each) => each.computedName)`,
  );
  return [...new Set(names)].filter((each) => OPENS.test(each));
}

async function shows(page: Page): Promise<boolean> {
  return page
    .getByRole("dialog")
    .first()
    .waitFor({ timeout: 700 })
    .then(
      () => true,
      () => false,
    );
}

async function faultsOf(page: Page, way: () => Promise<readonly string[]>, name: string): Promise<string[]> {
  const found = [...(await way())];
  const over = await page.evaluate<number>(
    `Math.max(0, ...[...document.querySelectorAll("[role=dialog]")].map((each) => each.scrollWidth - each.clientWidth, 0))`,
  );
  if (over > 1) found.push(`reaches ${over} px past its edge`);
  // The system sets forced colours, so axe's contrast findings are not the page's.
  if (name !== "forced colours") found.push(...(await axe(page)));
  return found;
}

async function picture(page: Page, name: string): Promise<void> {
  const directory = join(String(PICTURES), "dialogs");
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name.replaceAll(/[^\w]+/g, "-")}.png`) });
}
