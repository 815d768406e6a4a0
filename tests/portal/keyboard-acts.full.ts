/** Every action of the pages works with the keyboard only, from the one-time link to the last deletion. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { NO_CHROMIUM, PASSWORD, settled, usePortal, type Tab } from "./browser.ts";
import { useKeys, type Keys } from "./keys.ts";

const portal = usePortal();
const directory = mkdtempSync(join(tmpdir(), "mooring-keyboard-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const known: { tab?: Tab; keys?: Keys } = {};
after(() => known.tab?.close());

/** Returns the browser of the first test, on the page of this jump letter. */
async function at(jump: string): Promise<{ page: Page; keys: Keys }> {
  if (known.tab === undefined || known.keys === undefined) throw new Error("the step before has failed");
  const { page } = known.tab;
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  // Moves out of any field, which would get the letters.
  await known.keys.tabTo("link", "Account");
  await known.keys.press("g", jump);
  await settled(page);
  return { page, keys: known.keys };
}

const seen = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

test("the account is set up, and the portal opens", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.openEmpty();
  const keys = await useKeys(tab.page);
  const link = new URL(String(portal.shared.home.owner.setup_url));
  await tab.go(`/setup${link.hash}`);
  await keys.fill("Your name", "Ada Lovelace");
  await keys.fill("Password", PASSWORD);
  await keys.press("Enter");
  await seen(tab.page, "Secure the account");
  await keys.take("button", /later/i);
  await seen(tab.page, "Your first credential");
  await keys.tabTo("tab", /.*/);
  await keys.press("ArrowRight");
  await keys.take("link", "Go to shop");
  await seen(tab.page, "Get started");
  known.tab = tab;
  known.keys = keys;
});

test("a project and an app", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("j");
  await keys.take("button", "Create project");
  await keys.arrives("textbox", "Name");
  await keys.type("Ledger");
  await keys.press("Control+Enter");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await keys.tabTo("button", /^Ledger/);
  if ((await page.locator("aside").count()) === 0) await keys.press("Enter");
  await keys.press("Enter");
  await keys.take("button", "Create app");
  await keys.arrives("textbox", "Name");
  await keys.type("Books");
  await keys.press("Enter");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await seen(page, "books");
  await keys.press("Escape");
});

test("a credential is created, and revoked after its name was typed", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("c");
  await keys.take("button", "Create credential");
  await page.getByRole("dialog").waitFor();
  await keys.take("button", "Telemetry writer");
  await keys.fill("Name", "night exporter");
  await keys.press("Control+Enter");
  await keys.take("button", "I have saved the secret");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await keys.tabTo("button", "night exporter");
  if ((await page.locator("aside").count()) === 0) await keys.press("Enter");
  await page.locator("aside").waitFor();
  await keys.press("Enter");
  assert.equal((await keys.focused())?.role, "complementary");
  await keys.take("button", "Revoke");
  await keys.arrives("textbox", /^Type night exporter/);
  await keys.type("night exporter");
  await keys.press("Enter");
  await seen(page, /Applied on all nodes after/);
  await keys.take("button", /^Close/);
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await keys.press("Escape");
});

test("an S3 key", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("k");
  await keys.take("button", "Create S3 key");
  await keys.arrives("textbox", "Name");
  await keys.type("nightly backup");
  await keys.press("Control+Enter");
  await seen(page, "Secret of nightly backup");
  await keys.take("button", "I have saved the secret");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await keys.tabTo("button", "nightly backup");
});

test("a webhook is created and deleted", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("w");
  await keys.take("button", "Create webhook");
  await page.getByRole("dialog").waitFor();
  await keys.fill("Name", "orders");
  await keys.tabTo("combobox", "The sender, and its verification scheme");
  await keys.type("None");
  await keys.press("Control+Enter");
  await keys.take("link", "Watch its events");
  await page.getByRole("heading", { name: "orders" }).waitFor();
  await keys.tabTo("tab", /.*/);
  await keys.goTo("ArrowRight", "Settings");
  await keys.take("button", /^Delete/);
  await keys.arrives("textbox", /^Type orders/);
  await keys.type("orders");
  await keys.press("Enter");
  await page.waitForURL(/\/webhooks$/);
});

test("an invitation", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("p");
  await keys.take("button", /^Invite/);
  await keys.arrives("textbox", "E-mail");
  await keys.type("grace@acme.example");
  await keys.press("Enter");
  await seen(page, "Link for grace@acme.example");
  await keys.take("button", "Done");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
});

test("SQL runs, its rows are walked through, and the statement is saved", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("q");
  await page.locator(".cm-content").waitFor(); // The editor is loaded after the page.
  await keys.press("/");
  await keys.arrives("textbox", "SQL statement");
  await keys.type("SELECT action, result FROM audit_log LIMIT 20");
  await keys.press("Escape", "Control+Enter");
  await page.locator('[data-place="0/0"]').waitFor();
  // Leaves the editor like any field.
  await keys.press("Tab");
  assert.notEqual((await keys.focused())?.name, "SQL statement");
  await keys.tabTo("gridcell", /.*/);
  await keys.press("j", "j", "ArrowRight", "Enter");
  await page.locator("aside").waitFor();
  assert.equal(await page.locator(":focus").getAttribute("data-place"), "2/1");
  await keys.press("Enter");
  assert.equal((await keys.focused())?.role, "complementary");
  await keys.press("Escape");
  await page.locator("aside").waitFor({ state: "detached" });
  await page.locator('[data-place="2/1"]:focus').waitFor();
  await keys.take("button", "Save");
  await keys.arrives("textbox", "Name");
  await keys.type("who did what");
  await keys.press("Enter");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
});

test("an alert", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("a");
  await keys.take("button", "Create alert");
  await keys.arrives("textbox", "Name");
  await keys.type("errors");
  await keys.fill(/^Threshold/, "5");
  await keys.fill(/^Address/, "https://example.org/alerts");
  await keys.press("Control+Enter");
  await page.locator("aside").waitFor();
  await keys.take("button", "I have saved the secret");
  await page.locator("[role=dialog]").waitFor({ state: "detached" });
  await seen(page, "errors");
  await keys.press("Escape");
});

test("a file is uploaded and deleted", { skip: NO_CHROMIUM }, async () => {
  const { page, keys } = await at("f");
  const path = join(directory, "moorings.csv");
  writeFileSync(path, "a,b\n1,2\n");
  const chooser = page.waitForEvent("filechooser");
  await keys.take("button", "Upload files");
  // Replaces the keys of the system's file dialog.
  await (await chooser).setFiles(path);
  await page.getByRole("row", { name: /moorings\.csv/ }).waitFor();
  await keys.take("button", /moorings\.csv/);
  await page.locator("aside").waitFor();
  await keys.press("Enter");
  await keys.take("button", "Delete…");
  await keys.take("button", "Move to the trash");
  await page.getByRole("row", { name: /moorings\.csv/ }).waitFor({ state: "detached" });
});

test("the browser reported no fault", { skip: NO_CHROMIUM }, () => assert.deepEqual(known.tab?.faults, []));
