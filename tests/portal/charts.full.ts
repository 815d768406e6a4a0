/** Every kind of chart in a real browser: no text meets another, colours are tokens, the keyboard does everything, and nothing jumps. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { axe, NO_CHROMIUM, overflow } from "./browser.ts";
import { useGallery } from "./gallery.ts";

const open = useGallery();
const MEASURE = readFileSync(new URL("./charts-in-page.js", import.meta.url), "utf8");
/** The folder for the pictures. Unset, the test takes none. */
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const LOOKS = [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 1440 },
  { theme: "light", width: 390 },
  { theme: "dark", width: 390 },
] as const;
const CHARTS_MIN = 16;

for (const look of LOOKS) {
  test(`every chart, ${look.theme}, ${look.width} px`, { skip: NO_CHROMIUM }, async () => {
    const { page, faults, close } = await open(look);
    const measured = await page.evaluate<{ charts: string[]; faults: string[] }>(MEASURE);
    assert.ok(measured.charts.length >= CHARTS_MIN, measured.charts.join(", "));
    assert.deepEqual(measured.faults, []);
    assert.deepEqual(await axe(page), []);
    assert.equal(await overflow(page), 0);
    assert.deepEqual(faults, []);
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `charts-${look.theme}-${look.width}.png`), fullPage: true });
    }
    await close();
  });
}

const plotOf = (page: Page, name: string): Locator => page.getByRole("group", { name, exact: true });

/** A query in the page for the parts of a plot. */
const partsOf = (plot: string, part: string): string =>
  `[...document.querySelectorAll('[role="group"][aria-label="${plot}"] ${part}')]`;

/** Returns the resolved colour of a token. */
const tokenColour = (page: Page, token: string): Promise<string> =>
  page.evaluate(`(() => {
    const probe = document.createElement("i");
    probe.style.color = "var(${token})";
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  })()`);

test("series have the tokens' colours in their order, and lines keep their width", { skip: NO_CHROMIUM }, async () => {
  for (const theme of ["light", "dark"] as const) {
    const { page, close } = await open({ theme, width: 1440 });
    const drawn = await page.evaluate<[string, string, string][]>(
      `${partsOf("Latency by service", ".ch-line")}.map((path) => { const s = getComputedStyle(path); return [s.stroke, s.strokeWidth, s.vectorEffect]; })`,
    );
    assert.equal(drawn.length, 8);
    for (const [index, [stroke, width, effect]] of drawn.entries()) {
      // The first chart of the page has given the first four colours to its names.
      assert.equal(width, "1.5px");
      assert.equal(effect, "non-scaling-stroke");
      const tokens = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((at) => tokenColour(page, `--s${at}`)));
      assert.ok(tokens.includes(stroke), `${index}: ${stroke}`);
    }
    assert.equal(new Set(drawn.map(([stroke]) => stroke)).size, 8);
    const fills = await page.evaluate<string[]>(
      `${partsOf("Lines of log by level", "svg > path[style]")}.map((path) => getComputedStyle(path).fill)`,
    );
    const levels = ["fatal", "error", "warn", "info", "debug"];
    assert.deepEqual(fills, await Promise.all(levels.map((level) => tokenColour(page, `--lv-${level}`))));
    await close();
  }
});

test("a name has one colour in all charts of a page", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const colourOf = (section: string): Promise<string> =>
    page.evaluate<string>(
      `getComputedStyle([...document.querySelectorAll('[aria-label="${section}"] .ch-name')].find((name) => name.textContent.startsWith("payments")).querySelector(".ch-swatch")).backgroundColor`,
    );
  assert.equal(await colourOf("Four lines"), await tokenColour(page, "--s2"));
  assert.equal(await colourOf("Eight lines"), await tokenColour(page, "--s2"));
  await close();
});

test("the pointer shows the exact time and the values, in every chart of the page", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const plot = plotOf(page, "Requests per second");
  const { width = 0 } = (await plot.boundingBox()) ?? {};
  await plot.hover({ position: { x: width * 0.3, y: 60 } });
  const tip = plot.locator(".ch-tip");
  assert.match(
    (await tip.textContent()) ?? "",
    /^Mon 23 Nov \d\d:\d\d UTCrequests\/s[\d.]+day before[\d.]+change[+−±]\d+ %$/,
  );
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, "charts-tooltip.png") });
  const x = (await plot.boundingBox())?.x ?? 0;
  assert.ok(((await tip.boundingBox())?.x ?? 0) > x + width * 0.3, "on the wider side");
  await plot.hover({ position: { x: width * 0.7, y: 60 } });
  const { x: left = 0, width: wide = 0 } = (await tip.boundingBox()) ?? {};
  assert.ok(left + wide < x + width * 0.7, "on the wider side");
  await plotOf(page, "Latency with its band").locator(".ch-cursor").waitFor({ state: "attached" });
  assert.equal(await page.locator(".ch-tip").count(), 1);
  await close();
});

test("a dragged range has its times, and Enter zooms to it", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const plot = plotOf(page, "Requests by service");
  const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
  await page.mouse.move(x + width * 0.6, y + 50);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.8, y + 50, { steps: 4 });
  await page.mouse.up();
  const tag = plot.getByRole("button");
  assert.match((await tag.textContent()) ?? "", /^09:(38:59|39:0\d) to 09:4(1:59|2:0\d) ⏎$/);
  assert.deepEqual(await axe(page), []);
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, "charts-range.png") });
  assert.ok((await plotOf(page, "Requests per second").locator(".ch-range").count()) > 0, "charts share the range");
  await page.keyboard.press("Enter");
  await tag.waitFor({ state: "detached" });
  assert.match((await page.getByTestId("zoomed").textContent()) ?? "", /^2026-11-24T09:3[89] 2026-11-24T09:4[12]$/);
  await close();
});

test("the keyboard moves, marks, zooms, and shows the table", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const plot = plotOf(page, "Requests by service");
  await plot.focus();
  const said = page.getByRole("region", { name: "Four lines" }).locator("[aria-live]");
  await page.keyboard.press("End");
  assert.match((await said.textContent()) ?? "", /^Tue 24 Nov 09:45:00 UTC: checkout-api [\d.]+, payments/);
  await page.keyboard.press("ArrowLeft");
  assert.match((await said.textContent()) ?? "", /^Tue 24 Nov 09:44:50 UTC/);
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.match((await plot.getByRole("button").textContent()) ?? "", /^09:44:30 to 09:44:50/);
  await page.keyboard.press("Escape");
  assert.equal(await plot.getByRole("button").count(), 0);
  await page.keyboard.press("t");
  const table = page.getByRole("group", { name: "Requests by service, as a table" });
  await table.getByRole("cell", { name: "2026-11-24 09:45", exact: true }).waitFor();
  const focused = (): Promise<string> => page.evaluate<string>(`document.activeElement.getAttribute("aria-label")`);
  assert.equal(await focused(), "Requests by service, as a table");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("t");
  await plot.waitFor();
  assert.equal(await focused(), "Requests by service");
  await close();
});

test("a click on a name shows it alone, with Shift it hides it", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const sheet = page.getByRole("region", { name: "Four lines" });
  const lines = sheet.locator(".ch-line");
  const payments = sheet.getByRole("button", { name: /^payments/ });
  await payments.click();
  assert.equal(await lines.count(), 1);
  await payments.click();
  assert.equal(await lines.count(), 4);
  await payments.click({ modifiers: ["Shift"] });
  assert.equal(await lines.count(), 3);
  assert.equal(await payments.getAttribute("aria-pressed"), "false");
  await close();
});

test("a chart without data has the height of a chart", { skip: NO_CHROMIUM }, async () => {
  const { page, close } = await open({ width: 1440 });
  const heights = await Promise.all(
    ["Loading", "Empty", "Failed", "Cut"].map(async (name) => (await plotOf(page, name).boundingBox())?.height),
  );
  assert.deepEqual(heights, [80, 80, 80, 80]);
  await plotOf(page, "Failed").getByRole("alert").getByRole("button", { name: "try again" }).waitFor();
  await plotOf(page, "Cut").getByText("not kept before 09:35").waitFor();
  await close();
});
