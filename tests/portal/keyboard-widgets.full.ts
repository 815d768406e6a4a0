/** Keys that work everywhere: the palette, jumps, help, menus, lists and their panels, and the setting that turns letters off. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../fixtures/process.ts";
import { NO_CHROMIUM, settled, usePortal, type Tab } from "./browser.ts";
import { fill } from "./content.ts";
import { useKeys, type Keys } from "./keys.ts";
import { portalPages } from "./pages.ts";

const portal = usePortal();
const known: { tab?: Tab; keys?: Keys } = {};
after(() => known.tab?.close());

async function at(path: string): Promise<{ page: Page; keys: Keys }> {
  await fill(portal.shared);
  known.tab ??= await portal.open();
  known.keys ??= await useKeys(known.tab.page);
  await known.tab.go(`/o/${portal.shared.home.org.slug}/-/${path}`.replace(/\/$/, ""));
  return { page: known.tab.page, keys: known.keys };
}

const pathOf = (page: Page): string => new URL(page.url()).pathname.split("/").slice(4).join("/");

test("⌘K opens every page, and closing it returns the focus", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("");
  await keys.tabTo("link", "Files");
  await keys.press("Control+k");
  await keys.arrives("combobox", "Search pages and actions");
  await keys.press("Escape");
  await keys.arrives("link", "Files");
  await keys.press("Control+k");
  await keys.type("audit");
  await keys.press("Enter");
  await page.waitForURL(/\/audit$/);
  await keys.press("Control+k");
  await keys.arrives("combobox", "Search pages and actions");
  for (let i = 0; i < 25; i++) await keys.press("ArrowDown");
  const option = page.locator("[role=option][aria-selected=true]");
  const box = page.locator("[role=listbox]");
  const [inner, outer] = [await option.boundingBox(), await box.boundingBox()];
  assert.ok(
    inner !== null && outer !== null && inner.y + inner.height <= outer.y + outer.height + 1,
    "the chosen item is visible",
  );
  await keys.press("Escape");
});

test("g and a letter opens each page that has a letter", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("");
  for (const { path, key } of await portalPages()) {
    if (key === undefined) continue;
    await keys.press("g", key);
    await page.waitForFunction(`location.pathname.split("/").slice(4).join("/") === ${JSON.stringify(path)}`);
    await settled(page);
  }
});

test("? shows all keys, and / focuses the search of each page that has one", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("");
  await keys.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  for (const { key, title } of await portalPages())
    if (key !== undefined) assert.match(await help.innerText(), new RegExp(`g ${key}\\s+${title}`));
  await keys.press("Escape");
  await help.waitFor({ state: "detached" });
  for (const { path } of (await portalPages()).filter((each) => !each.path.includes("$"))) {
    await at(path);
    if ((await page.locator("main [data-search]").count()) === 0) continue;
    await page.locator("main [data-search]").first().waitFor();
    await keys.press("/");
    assert.match((await keys.focused())?.role ?? "", /searchbox|textbox/, path);
  }
});

test("menus work by arrows and by first letters", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("");
  await keys.take("button", /signed in as/);
  await keys.arrives("menuitem", "Account and security");
  await keys.press("ArrowDown");
  await keys.arrives("menuitem", "Instance");
  await keys.press("ArrowDown");
  await keys.arrives("menuitem", /^Keyboard shortcuts/);
  await keys.type("dar");
  await keys.arrives("menuitem", "dark");
  await keys.press("Escape");
  await keys.arrives("button", /signed in as/);
  await keys.press("Enter");
  await keys.arrives("menuitem", "Account and security");
  await keys.type("key");
  await keys.arrives("menuitem", /^Keyboard shortcuts/);
  await keys.press("Enter");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await keys.press("Escape");
  // After a menu's action, the focus returns to the menu's button.
  await keys.arrives("button", /signed in as/);
});

/** Pages whose rows open, and the least number of rows in the content. */
const LISTS = [
  "explore",
  "traces",
  "files",
  "members",
  "credentials",
  "ingest-keys",
  "s3-keys",
  "audit",
  "projects",
  "buckets",
];

test("j, k and Enter work on rows; Enter enters the panel, and Esc returns", { skip: NO_CHROMIUM }, async () => {
  for (const path of LISTS) {
    const { page, keys } = await at(path);
    const openers = page.locator("main [data-opener]");
    await openers.first().waitFor();
    const focused = page.locator("main [data-opener]:focus");
    for (let i = 0; i < 200 && (await focused.count()) === 0; i++) await keys.press("Tab");
    const place = (): Promise<number> =>
      page.evaluate<number>(`[...document.querySelectorAll("main [data-opener]")].indexOf(document.activeElement)`);
    const first = await place();
    const isSeveral = (await openers.count()) > 1;
    if (isSeveral) {
      await keys.press("j");
      await eventually(`${path}: j to move`, async () => ((await place()) === first ? null : true));
      await keys.press("k");
      await eventually(`${path}: k to move back`, async () => ((await place()) === first ? true : null));
      await keys.press("ArrowDown");
      await eventually(`${path}: the arrow to move`, async () => ((await place()) === first ? null : true));
    }
    const row = await place();
    await keys.press("Enter");
    if (path === "traces") continue; // A trace has a separate page.
    await page.locator("aside").waitFor();
    assert.equal(await place(), row, `${path}: the focus stays in the list`);
    await keys.press("Enter");
    assert.equal((await keys.focused())?.role, "complementary", `${path}: Enter moves the focus into the open panel`);
    await keys.press("Tab", "Escape");
    await page.locator("aside").waitFor({ state: "detached" });
    await page.waitForFunction(`document.activeElement?.hasAttribute("data-opener")`);
    assert.equal(await place(), row, `${path}: Esc goes back to the row`);
  }
});

test("letter keys can be turned off, and then do nothing", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("");
  await keys.take("link", "Account");
  await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
  await keys.tabTo("checkbox", /^Keyboard shortcuts with a single key/);
  await keys.press("Space");
  await at("");
  await keys.press("g", "e", "?");
  assert.equal(pathOf(page), "");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await at("credentials");
  await keys.tabTo("button", /Checkout service/);
  await keys.press("j");
  await keys.arrives("button", /Checkout service/);
  await keys.press("Control+k");
  await keys.arrives("combobox", "Search pages and actions");
  await keys.press("Escape");
});

test("the browser reported no fault", { skip: NO_CHROMIUM }, () => assert.deepEqual(known.tab?.faults, []));
