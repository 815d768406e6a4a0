/** Every page without a mouse: all visible elements can be reached, the focus is always visible, and nothing traps it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CHROMIUM, usePortal, type Tab } from "./browser.ts";
import { fill } from "./content.ts";
import { walk } from "./keyboard-walk.ts";
import { useKeys, type Keys } from "./keys.ts";
import { OPEN_PAGES, ORGANIZATION_PAGES, OWN_PAGES, portalPages } from "./pages.ts";

const portal = usePortal();

test("the tests know all pages of the portal", async () => {
  const pages = (await portalPages()).filter(({ path }) => !path.includes("$"));
  assert.deepEqual([...ORGANIZATION_PAGES].toSorted(), pages.map(({ path }) => path).toSorted());
});

const BROKEN = `<main><h1>A broken page</h1>
  <button>Below</button><button tabindex="-1">Not by Tab</button>
  <button style="outline: none">Without a ring</button>
  <div style="position: fixed; inset: 300px 0 0 0; background: white; z-index: 1"></div>
  <button style="position: fixed; top: 400px; left: 0">Covered</button>
  <button style="position: absolute; top: 0; left: 0">Up</button></main>`;

test("faults of a page are found", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.openEmpty();
  const { page } = tab;
  const keys = await useKeys(page);
  await page.goto("about:blank");
  await page.setContent(BROKEN);
  const found = (await walk(keys)).join("\n");
  for (const fault of [
    'no key leads to button "Not by Tab"',
    'the focus is not seen on button "Without a ring"',
    'covered while it has the focus: button "Covered"',
    'Tab goes up from button "Covered" to button "Up"',
  ])
    assert.ok(found.includes(fault), `${fault}\n${found}`);
  await page.setContent(`<main><h1>A trap</h1><button>Before</button>
    <button onkeydown="event.preventDefault()">Trap</button><button>After</button></main>`);
  assert.match((await walk(keys)).join("\n"), /Tab leads back to|no key leads to button "After"/);
  await tab.close();
});

for (const content of ["nothing", "something of everything"] as const) {
  test(`each page of an organization that has ${content}`, { skip: NO_CHROMIUM }, async () => {
    const { org, app, webhook } = portal.shared.home;
    if (content !== "nothing") await fill(portal.shared);
    const tab = await portal.open();
    const paths = (await portalPages()).map(({ path }) =>
      `/o/${org.slug}/-/${path.replace("images/$", `images/${app.id}?`).replace("webhooks/$", `webhooks/${webhook.id}?`)}`
        .replace(/\?.*$/, "")
        .replace(/\/$/, ""),
    );
    await walkEach(tab, [...paths, ...OWN_PAGES]);
  });
}

test("each page for people without a session", { skip: NO_CHROMIUM }, async () => {
  await walkEach(await portal.openEmpty(), OPEN_PAGES);
});

async function walkEach(tab: Tab, paths: readonly string[]): Promise<void> {
  const keys = await useKeys(tab.page);
  const found: string[] = [];
  for (const path of paths) {
    await tab.go(path);
    for (const each of await walkTabs(keys)) found.push(`${path}: ${each}`);
  }
  assert.equal(found.length, 0, found.join("\n"));
  assert.deepEqual(tab.faults, []);
  await tab.close();
}

/** Walks the page as it opens, and with each of its tabs chosen by the arrow keys. */
async function walkTabs(keys: Keys): Promise<readonly string[]> {
  const found = [...(await walk(keys))];
  const count = await keys.page.locator("main [role=tab]").count();
  for (let i = 1; i < count; i++) {
    await keys.page.keyboard.press("Tab");
    for (let tries = 0; (await keys.focused())?.role !== "tab" && tries < 200; tries++) await keys.press("Tab");
    const from = (await keys.focused())?.what;
    await keys.press("ArrowRight");
    // The focus moves a moment after the key, so a walk that began earlier would see it jump.
    for (let tries = 0; (await keys.focused())?.what === from && tries < 200; tries++)
      await keys.page.waitForTimeout(20);
    const chosen = (await keys.focused())?.what ?? "nothing";
    found.push(...(await walk(keys)).map((each) => `${chosen}: ${each}`));
  }
  return found;
}
