/** Rows of one organization or project are never shown with another's name, even if the next answer is slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { uploaded } from "../fixtures/files.ts";
import { NO_CHROMIUM, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();

let prepared: Promise<void> | undefined;

/** Creates a file in one project, an empty project, and a second organization of the same person. */
async function prepare(): Promise<void> {
  const { server, token, home } = portal.shared;
  await uploaded(server, token, { filename: "acme-file.txt", project: home.project.slug });
  const made = await server.call("POST", "/v1/projects", { token, json: { slug: "empty", name: "Empty" } });
  assert.equal(made.status, 201, made.text);
  const tab = await portal.open();
  const second = await tab.page.request.post(`${server.origin}/api/instance/organizations`, {
    data: { slug: "globex", name: "Globex", owner_email: home.owner.email },
    headers: { origin: server.origin },
  });
  assert.equal(second.status(), 201, await second.text());
  await tab.close();
}

async function opened(): Promise<Tab> {
  prepared ??= prepare();
  await prepared;
  return portal.open();
}

/** Delays the answers of lists, so that the page has only its old data. */
async function holdLists(tab: Tab): Promise<{ held: () => number; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  let held = 0;
  await tab.page.route(/\/v1\/(?:files(?:\/names)?|projects)(?:\?|$)/, async (route) => {
    held += 1;
    await gate.promise;
    await route.continue();
  });
  return { held: () => held, release: gate.resolve };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    assert.ok(performance.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Changes the address within the page, as links and the browser's own buttons do. Components may stay mounted. */
async function change(tab: Tab, path: string): Promise<void> {
  await tab.page.evaluate(`history.pushState({}, "", ${JSON.stringify(path)})`);
  await tab.page.waitForURL((url) => url.pathname + url.search === path);
}

/** The pages whose rows belong to an organization or a project, with the text of a row that is shown before the switch. */
const PAGES: readonly { readonly page: string; readonly row: () => string }[] = [
  { page: "files", row: () => "acme-file.txt" },
  { page: "files?view=names", row: () => "acme-file.txt" },
  { page: "projects", row: () => portal.shared.home.project.slug },
];

for (const { page: path, row } of PAGES) {
  test(`another organization's ${path} begins empty while its answer is slow`, { skip: NO_CHROMIUM }, async () => {
    const tab = await opened();
    await tab.go(`/o/${portal.shared.home.org.slug}/-/${path}`);
    const shown = tab.page.locator("main").getByText(row(), { exact: true }).first();
    await shown.waitFor();
    const lists = await holdLists(tab);
    await change(tab, `/o/globex/-/${path}`);
    await until("the page asks for the other organization's rows", () => lists.held() > 0);
    await tab.page.locator("main").getByText("Loading").first().waitFor();
    assert.equal(await tab.page.locator("main").getByText(row(), { exact: true }).count(), 0);
    lists.release();
    await tab.close();
  });
}

test("another project's files begin empty while its answer is slow", { skip: NO_CHROMIUM }, async () => {
  const tab = await opened();
  const { org, project } = portal.shared.home;
  await tab.go(`/o/${org.slug}/${project.slug}/files`);
  await tab.page.getByText("acme-file.txt").waitFor();
  const lists = await holdLists(tab);
  await change(tab, `/o/${org.slug}/empty/files`);
  await until("the page asks for the other project's rows", () => lists.held() > 0);
  await tab.page.locator("main").getByText("Loading").first().waitFor();
  assert.equal(await tab.page.getByText("acme-file.txt").count(), 0);
  lists.release();
  await tab.page
    .getByText(/no file/i)
    .first()
    .waitFor();
  await tab.close();
});

test("rows stay visible while a filter of the same project changes", { skip: NO_CHROMIUM }, async () => {
  const tab = await opened();
  const { org, project } = portal.shared.home;
  await tab.go(`/o/${org.slug}/${project.slug}/files`);
  await tab.page.getByText("acme-file.txt").waitFor();
  const lists = await holdLists(tab);
  await tab.page.getByLabel("Names that begin with…").fill("acme");
  await until("the page asks for the rows of the filter", () => lists.held() > 0);
  assert.ok(await tab.page.getByText("acme-file.txt").isVisible());
  lists.release();
  await tab.close();
});
