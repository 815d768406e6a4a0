/** The explorer's keys while rows are loaded more slowly than the person moves, and while an entry is open. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../fixtures/process.ts";
import { NO_CHROMIUM, usePortal } from "./browser.ts";
import { focusedRow, loadedMoreThan, loadedRows, PAGE_ROWS } from "./entry-list.ts";
import { fillLogs, rangeOfLogs } from "./many-logs.ts";

const ROWS = 10_000;

const portal = usePortal();
const range = rangeOfLogs(Date.now());
const logs: { filled?: Promise<number> } = {};

/** Opens the list with its first rows, the final counts, and the focus on the first row, in a tab without a remembered position. */
async function openList(t: TestContext): Promise<Page> {
  await (logs.filled ??= fillLogs(portal.shared, ROWS, range));
  const tab = await portal.open();
  t.after(() => tab.close());
  const { page } = tab;
  await page.goto(`/o/${portal.shared.home.org.slug}/-/explore?from=${range.from}&to=${range.to}`);
  await page.getByText(/^10,000 of 10,000 entries · /).waitFor();
  await loadedMoreThan(page, 1000);
  await page.locator('[data-index="0"] button').focus();
  return page;
}

/** Delays the page's queries until the returned function is called. */
async function holdQueries(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/v1/query", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

interface Press {
  readonly row: number;
  readonly loaded: number;
}

/** Records for every PageDown the row that it starts from, and the number of loaded rows. */
const NOTE_PRESSES = `{
  globalThis.presses = [];
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "PageDown") return;
    const loaded = document.querySelector("main [aria-rowcount]").getAttribute("aria-rowcount") - 1;
    presses.push({ row: Number(target.closest("[data-index]")?.dataset.index ?? NaN), loaded });
  }, true);
}`;

async function pageDown(page: Page, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await page.keyboard.press("PageDown");
}

test(
  "a held PageDown waits at the last loaded row, continues with new rows, and moves by a page each time",
  { skip: NO_CHROMIUM },
  async (t) => {
    const page = await openList(t);
    await page.evaluate(NOTE_PRESSES);
    const release = await holdQueries(page);
    const loaded = await loadedRows(page);
    await pageDown(page, Math.ceil(loaded / PAGE_ROWS) + 10);
    assert.equal(await focusedRow(page), loaded - 1);
    assert.equal(await page.locator(":focus").isVisible(), true);
    assert.equal(await loadedRows(page), loaded, "nothing was loaded meanwhile");
    release();
    await loadedMoreThan(page, loaded);
    assert.equal(await focusedRow(page), loaded - 1);
    await eventually("the last row of all", async () => {
      await pageDown(page, 20);
      return (await focusedRow(page)) === ROWS - 1 ? true : null;
    });
    const presses = await page.evaluate<Press[]>("presses");
    for (const [i, { row }] of presses.entries()) {
      const before = presses[i - 1];
      if (before !== undefined) assert.equal(row, Math.min(before.row + PAGE_ROWS, before.loaded - 1), `press ${i}`);
    }
  },
);

test("moving from row to row with an open entry shows each one without a request", { skip: NO_CHROMIUM }, async (t) => {
  const page = await openList(t);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/v1/query") asked.push(request.postData() ?? "");
  });
  await page.keyboard.press("Enter");
  const details = page.getByRole("complementary", { name: "Details" });
  await details.waitFor();
  for (let row = 1; row <= 40; row++) {
    await page.keyboard.press("j");
    assert.equal(await focusedRow(page), row);
  }
  const time = await page.locator('[data-index="40"] button').getAttribute("aria-expanded");
  assert.equal(time, "true");
  const entry = await page.locator('[data-index="40"] [role=cell]').last().innerText();
  await details.getByText(entry, { exact: true }).waitFor();
  assert.deepEqual(asked, [], "queries while only loaded entries were shown");
});
