/** A real browser over a running server, and what a test of the portal asks of every page. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { useServer, type ServerOptions, type Shared } from "../fixtures/server.ts";

/** Debian's, or where a setting says that one is. */
export const CHROMIUM = process.env["MOORING_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
/** Without one these tests can't say anything. */
export const NO_CHROMIUM = existsSync(CHROMIUM)
  ? false
  : `there is no ${CHROMIUM}; install Debian's package chromium, or set MOORING_TEST_CHROMIUM`;

export const PASSWORD = "correct horse battery";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Elements report the role and the name that assistive technology gets.
  "--enable-blink-features=ComputedAccessibilityInfo",
];
const PATIENCE_MS = 30_000;

export interface Look {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** 2: as a page at 200 % zoom. */
  readonly zoom?: number;
}

/** A browser whose owner has set up the first account. */
export interface Portal {
  readonly shared: Shared;
  /** Signed in, in a separate context that keeps its downloads. */
  open(look?: Look): Promise<Tab>;
  /** Nobody is signed in. */
  openEmpty(look?: Look): Promise<Tab>;
}

/** One page, with everything that went wrong in it. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Goes to a path and waits until the page has said what it is and nothing loads any more. */
  go(path: string): Promise<void>;
  /** What the console and the network told: errors, violations of the policy, requests to other places. */
  readonly faults: string[];
  close(): Promise<void>;
}

export function usePortal(options: ServerOptions = {}): Portal {
  const shared = useServer(options);
  const made: { browser?: Browser; state?: Awaited<ReturnType<BrowserContext["storageState"]>> } = {};
  const openWith = async (look: Look, isSignedIn: boolean): Promise<Tab> => {
    made.browser ??= await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGS });
    if (isSignedIn) made.state ??= await settle(made.browser, shared);
    return newTab(made.browser, shared.server.origin, look, isSignedIn ? made.state : undefined);
  };
  after(() => made.browser?.close());
  return { shared, open: (look = {}) => openWith(look, true), openEmpty: (look = {}) => openWith(look, false) };
}

/** Sets up the owner's account by the link, and keeps the session's cookie for later contexts. */
async function settle(browser: Browser, shared: Shared): Promise<Awaited<ReturnType<BrowserContext["storageState"]>>> {
  const [, token = ""] = String(shared.home.owner.setup_url).split("#");
  const context = await browser.newContext();
  const response = await context.request.post(`${shared.server.origin}/api/setup`, {
    data: { token, name: "Ada Lovelace", password: PASSWORD },
    headers: { origin: shared.server.origin },
  });
  assert.equal(response.status(), 201, await response.text());
  const state = await context.storageState();
  await context.close();
  return state;
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function newTab(browser: Browser, origin: string, look: Look, state: State | undefined): Promise<Tab> {
  const { theme = "light", width = 1280, height = 800, zoom = 1 } = look;
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: theme,
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    reducedMotion: "reduce",
    acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
    ...(state === undefined ? {} : { storageState: state }),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`exception: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    // Refused requests show in the console; tests that provoke one look at the page instead.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "blob:") faults.push(`a request went to ${url.origin}`);
  });
  return {
    page,
    context,
    faults,
    go: async (path) => {
      await page.goto(path);
      await settled(page);
    },
    close: () => context.close(),
  };
}

/** The page has its heading, and says no more that it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator("[role=status]", { hasText: "Loading" }).first().waitFor({ state: "detached" });
}

export interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds against WCAG 2.2 AA and its own best practices. */
export async function axe(page: Page): Promise<string[]> {
  // By the debugger's own way in, which the page's content security policy does not stand in.
  await page.evaluate(AXE);
  const findings = await page.evaluate<AxeFinding[]>(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) => violations)`,
  );
  return findings.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) =>
        `${id}: ${help}\n  ${html.slice(0, 200)}\n  ${failureSummary.split("\n").slice(0, 3).join(" ")}`,
    ),
  );
}

/** How far the page reaches past the right edge, in CSS pixels. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
}
