/** The explorer's list of entries, as its keys and its page show it. */
import type { Page } from "playwright-core";
import { eventually } from "../fixtures/process.ts";

/** The distance of PageDown. */
export const PAGE_ROWS = 20;

/** Reads the number from the page's text "1,298 loaded". */
export async function loadedRows(page: Page): Promise<number> {
  const text = await page.getByText(/ loaded$/).innerText();
  return Number((/([\d,]+) loaded$/.exec(text)?.[1] ?? "").replaceAll(",", ""));
}

export async function loadedMoreThan(page: Page, rows: number): Promise<number> {
  return eventually(`more than ${rows} rows to be loaded`, async () => {
    const loaded = await loadedRows(page);
    return loaded > rows ? loaded : null;
  });
}

/** Returns the focused row; NaN if none has the focus. */
export async function focusedRow(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(document.activeElement.closest("[data-index]")?.dataset.index ?? NaN)`);
}

/** Moves down from a row to the next loaded ones. Waits for more rows before a key would pass the loaded ones. */
export async function pressDown(
  page: Page,
  key: "PageDown" | "j",
  { from, times, found }: { from: number; times: number; found: number },
): Promise<number> {
  const step = key === "j" ? 1 : PAGE_ROWS;
  let [row, loaded] = [from, await loadedRows(page)];
  for (let i = 0; i < times; i++) {
    if (row + step >= loaded && loaded < found) loaded = await loadedMoreThan(page, row + step);
    await page.keyboard.press(key);
    row = Math.min(row + step, found - 1);
  }
  return row;
}
