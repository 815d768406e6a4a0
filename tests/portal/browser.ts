/** A real browser with a running server, and common checks for every page of the portal. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { useServer, type ServerOptions, type Shared } from "../fixtures/server.ts";

/** Debian's browser, or the one that a setting names. */
export const CHROMIUM = process.env["MOORING_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
/** These tests need a browser. */
export const NO_CHROMIUM = existsSync(CHROMIUM)
  ? false
  : `there is no ${CHROMIUM}; install Debian's package chromium, or set MOORING_TEST_CHROMIUM`;

export const PASSWORD = "correct horse battery";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const ARGS = [
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
  /** 2 shows the page as at 200 % zoom. */
  readonly zoom?: number;
}

/** A browser whose owner has set up the first account. */
export interface Portal {
  readonly shared: Shared;
  /** Opens a signed-in tab, in a separate context that keeps its downloads. */
  open(look?: Look): Promise<Tab>;
  /** Opens a tab without a session. */
  openEmpty(look?: Look): Promise<Tab>;
}

/** One page, with all of its errors. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path and waits until the page has its heading and loads nothing more. */
  go(path: string): Promise<void>;
  /** Faults of the console and the network: errors, violations of the policy, requests to other sites. */
  readonly faults: string[];
  close(): Promise<void>;
}

export function usePortal(options: ServerOptions = {}): Portal {
  const shared = useServer(options);
  const browser = browserFor(() => shared);
  after(() => browser.close());
  return { shared, ...browser };
}

/** Opens tabs of a server whose owner has not yet set up their account. Close it at the end. */
export function browserFor(
  at: () => Pick<Shared, "server" | "home">,
): Pick<Portal, "open" | "openEmpty"> & { close(): Promise<void> } {
  // Promises, so that tabs that open at the same time share one browser.
  const made: { browser?: Promise<Browser>; state?: Promise<State> } = {};
  const openWith = async (look: Look, isSignedIn: boolean): Promise<Tab> => {
    made.browser ??= chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGS });
    const browser = await made.browser;
    if (isSignedIn) made.state ??= settle(browser, at());
    return newTab(browser, at().server.origin, look, isSignedIn ? await made.state : undefined);
  };
  return {
    open: (look = {}) => openWith(look, true),
    openEmpty: (look = {}) => openWith(look, false),
    close: async () => (await made.browser)?.close(),
  };
}

/** Sets up the owner's account by the link, and keeps the session's cookie for later contexts. */
async function settle(browser: Browser, shared: Pick<Shared, "server" | "home">): Promise<State> {
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
    // Refused requests show in the console; tests that cause one check the page instead.
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

/** Waits until the page has its heading and shows no more that it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator("[role=status]", { hasText: "Loading" }).first().waitFor({ state: "detached" });
}

export interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the faults of the page except its frame, which the test of every page checks. */
export async function faultsOf({ page, faults }: Tab): Promise<string[]> {
  return [...(await axe(page)).filter((fault) => !fault.includes("choose an organization")), ...faults];
}

/** Returns the violations that axe finds of WCAG 2.2 AA and of its best practices. */
export async function axe(page: Page): Promise<string[]> {
  // Through the debugger, because the page's content security policy does not affect that.
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

/** Returns how many CSS pixels the page exceeds the right edge by. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
}
