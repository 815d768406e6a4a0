/** Saved queries and alerts in a real browser: no change is lost, and statements are completed with the server's names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();
const path = (page: string): string => `/o/${portal.shared.home.org.slug}/-/${page}`;

/** Reads a saved query from the server, or changes it. */
async function saved(id: string, change?: object): Promise<Record<string, unknown>> {
  const { server, token } = portal.shared;
  const [method, more] = change === undefined ? ["GET", {}] : ["PATCH", { json: change }];
  const { status, body, text } = await server.call(method, `/v1/query/saved/${id}`, { token, ...more });
  assert.equal(status, 200, text);
  return body;
}

/** Types over the content, as a person does. Filling it in at once would leave the browser's own styles behind. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press("ControlOrMeta+a");
  await editor.pressSequentially(text);
}

test("a saved query that another person changed is not overwritten", { skip: NO_CHROMIUM }, async () => {
  const { server, token } = portal.shared;
  const { body } = await server.call("POST", "/v1/query/saved", {
    token,
    json: { name: "Levels", sql: "SELECT 1 AS first" },
  });
  const id = String(body["id"]);
  const tab = await portal.open();
  const { page, faults } = tab;
  const editor = page.getByRole("textbox", { name: "SQL statement" });
  const dialog = page.getByRole("dialog");
  const save = async (): Promise<void> => {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
  };
  await tab.go(`${path("sql")}?saved=${id}`);
  await editor.getByText("SELECT 1 AS first").waitFor();
  await write(editor, "SELECT 2 AS mine");
  await save();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await saved(id))["sql"], "SELECT 2 AS mine");

  await saved(id, { sql: "SELECT 3 AS theirs" });
  await write(editor, "SELECT 4 AS mine");
  await save();
  await dialog.getByText("Somebody else changed it while this form was open.").waitFor();
  assert.deepEqual(await axe(page), []);
  assert.equal((await saved(id))["sql"], "SELECT 3 AS theirs");
  await dialog.getByRole("button", { name: "Save as new query" }).click();
  await dialog.getByLabel("Name").fill("Levels of mine");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Levels of mine" }).waitFor();
  assert.equal((await saved(id))["sql"], "SELECT 3 AS theirs");

  await tab.go(`${path("sql")}?saved=${id}`);
  await editor.getByText("SELECT 3 AS theirs").waitFor();
  await saved(id, { sql: "SELECT 5 AS theirs" });
  await save();
  await dialog.getByRole("button", { name: "Load the new version" }).click();
  await editor.getByText("SELECT 5 AS theirs").waitFor();
  await write(editor, "SELECT 6 AS mine");
  await save();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await saved(id))["sql"], "SELECT 6 AS mine");
  assert.deepEqual(faults, []);
  await tab.close();
});

test(
  "an alert's statement is written with completion, and the keyboard leads in and out",
  { skip: NO_CHROMIUM },
  async () => {
    const { server, token } = portal.shared;
    const tab = await portal.open();
    const { page, faults } = tab;
    await tab.go(`${path("alerts")}?new=yes`);
    const dialog = page.getByRole("dialog");
    const editor = dialog.locator(".cm-content");
    await editor.waitFor();
    assert.equal(await editor.getAttribute("aria-label"), "Statement");
    assert.deepEqual(await axe(page), []);

    await dialog.getByLabel("Name", { exact: true }).fill("Too many errors");
    await write(editor, "SELECT mess");
    const suggestions = page.locator(".cm-tooltip-autocomplete");
    await suggestions.getByText("message", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await suggestions.waitFor({ state: "detached" });
    assert.ok(await dialog.isVisible(), "the form stays");
    await editor.pressSequentially("ag");
    await suggestions.getByText("message", { exact: true }).waitFor();
    await page.waitForTimeout(100); // Tab accepts a completion only after it was visible for a moment.
    await page.keyboard.press("Tab");
    await editor.pressSequentially(" FROM logs ");
    await page.keyboard.press("Escape");
    assert.match((await editor.textContent()) ?? "", /^SELECT message FROM logs/);
    await page.keyboard.press("Tab");
    await dialog.locator(":focus", { hasText: "Try it now" }).waitFor();
    await page.keyboard.press("Shift+Tab");
    await dialog.locator(".cm-content:focus").waitFor();

    await dialog.getByLabel("Address").fill("https://example.org/alert");
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("Too many errors").first().waitFor();
    const { body } = await server.call("GET", "/v1/query/saved?limit=100", { token });
    const found = (body["items"] as { name: string; sql: string }[]).find(({ name }) => name === "Too many errors");
    assert.equal(found?.sql.trim(), "SELECT message FROM logs");
    assert.deepEqual(faults, []);
    await tab.close();
  },
);
