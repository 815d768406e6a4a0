/** The page Trash and the deletion lock in a real browser: deleted objects are listed, restored and deleted for good. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newWebhook } from "../fixtures/webhooks.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const path = (page: string): string => `/o/${portal.shared.home.org.slug}/-/${page}`;

async function done(method: string, at: string, json?: object): Promise<Record<string, unknown>> {
  const { server, token } = portal.shared;
  const answer = await server.call(method, at, { token, ...(json === undefined ? {} : { json }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.status === 204 ? {} : answer.body;
}

/** Asserts that the page has no faults, and keeps a picture of it. */
async function looked({ page, faults }: Tab, name: string): Promise<void> {
  const over = await overflow(page);
  const found = (await axe(page)).filter((fault) => !fault.includes("choose an organization"));
  assert.deepEqual([...found, ...faults, ...(over > 0 ? [`reaches ${over} px past the edge`] : [])], []);
  if (PICTURES === undefined) return;
  mkdirSync(join(PICTURES, "trash"), { recursive: true });
  await page.screenshot({ path: join(PICTURES, "trash", `${name}.png`) });
}

test("a deleted project is listed, and comes back under another slug", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path("trash"));
  await page.getByText("The trash is empty").waitFor();
  await looked(tab, "empty");
  const { id } = await done("POST", "/v1/projects", { slug: "shop-2", name: "Second shop" });
  await done("POST", "/v1/apps", { project: "shop-2", slug: "shop-2-web" });
  await tab.go(path(`projects?open=${String(id)}&tab=danger`));
  await page.getByRole("button", { name: "Delete this project" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("shop-2");
  await dialog.getByRole("button", { name: "Delete the project" }).click();
  await dialog.waitFor({ state: "detached" });
  await done("POST", "/v1/projects", { slug: "shop-2" }); // The slug is free at once.
  await tab.go(path("trash"));
  const row = page.getByRole("row", { name: /shop-2/ });
  await row.getByText("Project", { exact: true }).waitFor();
  await row.getByText("Ada Lovelace").waitFor();
  await looked(tab, "project");
  await row.getByRole("button", { name: "Restore… shop-2" }).click();
  await dialog.getByText("Its credentials and S3 keys work as before").waitFor();
  await dialog.getByRole("button", { name: "Restore", exact: true }).click();
  await dialog.getByText("The slug shop-2 was given to a new object").waitFor();
  tab.faults.splice(0); // The browser reports the refusal.
  await looked(tab, "restore");
  await dialog.getByLabel("Slug").fill("shop-3");
  await dialog.getByRole("button", { name: "Restore", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("The trash is empty").waitFor();
  assert.equal((await done("GET", "/v1/projects/shop-3"))["id"], id);
  assert.equal((await done("GET", "/v1/apps/shop-2-web"))["project_slug"], "shop-3");
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("a webhook is deleted for good by the keyboard, and lists show one kind", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const { id } = await newWebhook(server, token, { project: home.project.id, name: "orders" });
  await done("DELETE", `/v1/webhooks/${id}`);
  const tab = await portal.open();
  const { page, faults } = tab;
  await tab.go(path("trash?kind=app"));
  await page.getByText("No app is in the trash").waitFor();
  await looked(tab, "no app");
  await page.getByLabel("Kind").selectOption({ label: "Webhook" });
  await page.getByRole("row", { name: /orders/ }).waitFor();
  assert.match(page.url(), /kind=webhook/);
  await page.getByRole("button", { name: "Delete for good… orders" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("can't be restored any more").waitFor();
  const confirm = dialog.getByRole("button", { name: "Delete for good" });
  assert.equal(await confirm.isDisabled(), true);
  await dialog.getByRole("textbox").fill("orders");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("No webhook is in the trash").waitFor();
  assert.deepEqual((await done("GET", "/v1/trash"))["items"], []);
  assert.deepEqual(faults, []);
  await tab.close();
});

test("only a production project has a deletion lock, and it keeps the project", { skip: NO_CHROMIUM }, async () => {
  const { id } = await done("POST", "/v1/projects", { slug: "vital", environment: "production" });
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path(`projects?open=${String(id)}&tab=danger`));
  await page.getByRole("button", { name: "Set the lock" }).click();
  await page.getByRole("button", { name: "Remove the lock" }).waitFor();
  await looked(tab, "lock");
  await page.getByRole("button", { name: "Delete this project" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("vital");
  await dialog.getByRole("button", { name: "Delete the project" }).click();
  await dialog.getByText("has a deletion lock").waitFor();
  tab.faults.splice(0); // The browser reports the refusal.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Remove the lock" }).click();
  await page.getByRole("button", { name: "Set the lock" }).waitFor();
  assert.equal((await done("GET", "/v1/projects/vital"))["deletion_lock"], false);
  await tab.go(path(`projects?open=${portal.shared.home.project.id}&tab=danger`));
  const set = page.getByRole("button", { name: "Set the lock" });
  await set.waitFor();
  assert.equal(await set.getAttribute("title"), "Only a project with the environment production can have it");
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
