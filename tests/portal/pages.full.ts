/** Each page in a real browser: no finding of axe, no console message, no request to another site, and no overflow. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, NO_CHROMIUM, overflow, usePortal, type Look, type Tab } from "./browser.ts";
import { fill } from "./content.ts";
import { OPEN_PAGES, ORGANIZATION_PAGES, OWN_PAGES } from "./pages.ts";

const portal = usePortal();
/** The folder for screenshots of every page. Unset, the test takes none. */
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const LOOKS: Readonly<Record<string, Look>> = {
  "light wide": { theme: "light", width: 1280 },
  "dark wide": { theme: "dark", width: 1280 },
  "light 320 px": { theme: "light", width: 320, height: 640 },
  "dark 200 %": { theme: "dark", width: 1280, zoom: 2 },
};

const paths = (): string[] => {
  const { org, project } = portal.shared.home;
  const within = ORGANIZATION_PAGES.flatMap((page) => [
    `/o/${org.slug}/-/${page}`.replace(/\/$/, ""),
    ...(page === "" || page === "webhooks" || page === "files"
      ? [`/o/${org.slug}/${project.slug}/${page}`.replace(/\/$/, "")]
      : []),
  ]);
  return [...within, ...OWN_PAGES];
};

for (const [name, look] of Object.entries(LOOKS).filter(([each]) => each.startsWith("light"))) {
  test(`every page of an empty organization, ${name}`, { skip: NO_CHROMIUM }, async () => {
    const tab = await portal.open(look);
    await eachPage(tab, paths(), `empty ${name}`);
    await tab.close();
  });
}

test("the pages for people without a session", { skip: NO_CHROMIUM }, async () => {
  for (const [name, look] of Object.entries(LOOKS)) {
    const tab = await portal.openEmpty(look);
    await eachPage(tab, OPEN_PAGES, `open ${name}`);
    await tab.close();
  }
});

for (const [name, look] of Object.entries(LOOKS)) {
  test(`every page with content, ${name}`, { skip: NO_CHROMIUM }, async () => {
    await fill(portal.shared);
    const tab = await portal.open(look);
    await eachPage(tab, [...paths(), ...(await detailPaths())], `full ${name}`);
    await tab.close();
  });
}

async function detailPaths(): Promise<string[]> {
  const { org, app, webhook } = portal.shared.home;
  const details = [`images/${app.id}`, `buckets/${app.slug}`, `webhooks/${webhook.id}`];
  return [...details, "files?view=names", "files?view=trash", "api?operation=createUpload", "api?q=webhook"].map(
    (page) => `/o/${org.slug}/-/${page}`,
  );
}

async function eachPage(tab: Tab, pages: readonly string[], name: string): Promise<void> {
  const faults: string[] = [];
  for (const path of pages) {
    await tab.go(path);
    const found = [...(await axe(tab.page)), ...tab.faults.splice(0)];
    const over = await overflow(tab.page);
    if (over > 0) found.push(`reaches ${over} px past the edge`);
    faults.push(...found.map((fault) => `${path}: ${fault}`));
    if (PICTURES !== undefined) await picture(tab, name, path);
  }
  assert.deepEqual(faults, [], faults.join("\n"));
}

async function picture(tab: Tab, name: string, path: string): Promise<void> {
  const directory = join(String(PICTURES), name.replaceAll(" ", "-"));
  mkdirSync(directory, { recursive: true });
  const file = path.replace(/^\//, "").replaceAll("/", "_");
  await tab.page.screenshot({ path: join(directory, `${file}.png`) });
}
