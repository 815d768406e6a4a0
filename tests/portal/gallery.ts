/** The page with every kind of chart, built from the portal's sources and shown without a server. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { ARGS, CHROMIUM, type Look } from "./browser.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ORIGIN = "http://charts.test";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
};

export interface GalleryTab {
  readonly page: Page;
  readonly faults: string[];
  readonly close: () => Promise<void>;
}

/** Builds the page once, and opens it with a theme and a width. */
export function useGallery(): (look: Look) => Promise<GalleryTab> {
  const directory = mkdtempSync(join(tmpdir(), "mooring-gallery-"));
  const made: { browser?: Promise<Browser>; isBuilt?: boolean } = {};
  after(async () => {
    await (await made.browser)?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return async ({ theme = "light", width = 1440 }) => {
    if (made.isBuilt !== true) build(directory);
    made.isBuilt = true;
    made.browser ??= chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGS });
    const context = await (
      await made.browser
    ).newContext({ colorScheme: theme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.route(`${ORIGIN}/**`, async (route) => {
      const path = join(directory, new URL(route.request().url()).pathname);
      if (!existsSync(path)) return route.fulfill({ status: 404 });
      return route.fulfill({ body: readFileSync(path), contentType: TYPES[extname(path)] ?? "text/plain" });
    });
    await page.goto(`${ORIGIN}/gallery.html`);
    await page.getByRole("heading", { level: 1, name: "Charts" }).waitFor();
    await page.evaluate("document.fonts.ready");
    return { page, faults, close: () => context.close() };
  };
}

function build(directory: string): void {
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "-c", "gallery.config.ts", "--outDir", directory, "--emptyOutDir", "--logLevel", "warn"];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: join(ROOT, "portal"), encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
}
