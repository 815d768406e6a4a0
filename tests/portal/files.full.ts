/** Files in a real browser, by mouse and keyboard: versions of a name, links that expire, the trash and restoring. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { uploaded } from "../fixtures/files.ts";
import { faultsOf, NO_CHROMIUM, overflow, usePortal, type Look, type Tab } from "./browser.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const path = (query = ""): string => `/o/${portal.shared.home.org.slug}/-/files${query}`;

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Returns the faults of the page except its frame, which the test of every page checks. */
async function ownFaults(tab: Tab): Promise<string[]> {
  const over = await overflow(tab.page);
  return [...(await faultsOf(tab)), ...(over > 0 ? [`reaches ${over} px past the edge`] : [])];
}

async function upload(page: Page, name: string, content: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files" }).first().click();
  await (await chooser).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
}

/** Returns the rows of the list with this name. */
const rows = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("button", { name }) });

/** Opens a link without a session. */
async function asStranger(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

test("an older version is found and made the newest", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path());
  await upload(page, "plan.txt", "the first plan");
  await rows(page, "plan.txt").first().waitFor();
  await upload(page, "plan.txt", "the second plan");
  await rows(page, "plan.txt").nth(1).waitFor();
  await page.getByLabel("Group versions").check();
  const row = rows(page, "plan.txt");
  await row.getByText("2 versions").waitFor();
  assert.equal(await row.count(), 1);
  assert.match(page.url(), /view=names/);
  await row.getByRole("button", { name: "plan.txt" }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("the file's content").getByText("the second plan").waitFor();
  const versions = page.getByRole("list", { name: "versions" }).getByRole("listitem");
  assert.equal(await versions.count(), 2);
  await versions.nth(1).getByText("by Ada Lovelace").waitFor();
  await picture(page, "versions");
  assert.deepEqual(await ownFaults(tab), []);

  const download = page.waitForEvent("download");
  await versions.nth(1).getByRole("button", { name: "Download" }).click();
  assert.equal((await download).suggestedFilename(), "plan.txt");
  await versions.nth(1).getByRole("button", { name: "Make newest" }).click();
  await page.getByLabel("the file's content").getByText("the first plan").waitFor();
  await versions.nth(2).waitFor();
  await versions.nth(0).getByText("newest").waitFor();
  await versions.nth(0).getByText("open").waitFor();
  await row.getByText("3 versions").waitFor();
  await page.keyboard.press("Escape");
  await versions.first().waitFor({ state: "detached" });
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("a link is shared for a chosen time, and ends with the file", { skip: NO_CHROMIUM }, async () => {
  const { server, token } = portal.shared;
  const { id } = await uploaded(server, token, { filename: "shared.txt" }, "for all who have the link");
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path(`?file=${id}`));
  await page.getByRole("button", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Until it expires, everybody with the link").waitFor();
  await dialog.getByLabel("It works for").selectOption({ label: "7 days" });
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: "Create link" }).press("Enter");
  const url = String(await dialog.getByLabel("share link").textContent());
  await dialog.getByText(/works, ends in (7 days|6 days)/).waitFor();
  await picture(page, "share");
  assert.deepEqual(await ownFaults(tab), []);
  const seconds = Number(new URL(url).searchParams.get("expires")) - Date.now() / 1000;
  assert.ok(Math.abs(seconds - 7 * 86_400) < 120, `${seconds} s`);
  assert.deepEqual(await asStranger(url), { status: 200, text: "for all who have the link" });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByText("restore it from the trash for 7 days").waitFor();
  await picture(page, "delete");
  assert.deepEqual(await ownFaults(tab), []);
  await dialog.getByRole("button", { name: "Move to the trash" }).click();
  await dialog.waitFor({ state: "detached" });
  await rows(page, "shared.txt").waitFor({ state: "detached" });
  assert.equal((await asStranger(url)).status, 404);

  await page.getByRole("button", { name: "Trash", exact: true }).click();
  await page.getByText("1 file, 25 B, which count towards the quota.").waitFor();
  await page
    .getByRole("row", { name: /shared\.txt/ })
    .getByText("Ada Lovelace")
    .waitFor();
  await picture(page, "trash");
  assert.deepEqual(await ownFaults(tab), []);
  await page.getByRole("button", { name: "Restore shared.txt" }).press("Enter");
  await page.getByText("The trash is empty").waitFor();
  await picture(page, "trash-empty");
  assert.deepEqual(await ownFaults(tab), []);
  await page.getByRole("button", { name: "Back to the files" }).click();
  await rows(page, "shared.txt").waitFor();
  assert.equal((await asStranger(url)).status, 200, "a restored file is unchanged, with its links");
  await tab.close();
});

test("files are deleted for good one by one, all together, and without the trash", { skip: NO_CHROMIUM }, async () => {
  const { server, token } = portal.shared;
  const ids: string[] = [];
  for (const filename of ["one.txt", "two.txt", "three.txt"])
    ids.push((await uploaded(server, token, { filename }, "x".repeat(1000))).id);
  const hard = await uploaded(server, token, { filename: "past.txt" });
  for (const id of ids) assert.equal((await server.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(path("?view=trash"));
  await page.getByText(/^3 files, 2.93 KiB/).waitFor();
  await page.getByRole("button", { name: "Delete for good… one.txt" }).click();
  const confirm = dialog.getByRole("button", { name: "Delete for good" });
  assert.ok(await confirm.isDisabled(), "the name must be typed first");
  await dialog.getByRole("textbox").fill("one.txt");
  await page.keyboard.press("Enter");
  await page.getByText(/^2 files, 1.95 KiB/).waitFor();
  await page.getByRole("button", { name: "Empty the trash…" }).click();
  await dialog.getByText("will be deleted for good").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await dialog.getByRole("textbox").fill("empty the trash");
  await dialog.getByRole("button", { name: "Delete all for good" }).click();
  await page.getByText("The trash is empty").waitFor();

  await page.getByRole("button", { name: "Change the days…" }).click();
  await dialog.getByLabel("The server's default").uncheck();
  await dialog.getByLabel("Days").fill("91");
  await dialog.getByText("A whole number from 0 to 90").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await dialog.getByLabel("Days").fill("30");
  await page.keyboard.press("Enter");
  await page.getByText("Deleted files are kept for 30 days.").waitFor();

  await tab.go(path(`?file=${hard.id}`));
  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByText("restore it from the trash for 30 days").waitFor();
  await dialog.getByLabel("Delete permanently, without the trash").check();
  await dialog.getByRole("textbox").fill("past.txt");
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await dialog.waitFor({ state: "detached" });
  await tab.go(path("?view=trash"));
  await page.getByText("The trash is empty").waitFor();
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("origins of pages that may upload are set, and read back", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/files`);
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Allowed origins");
  await page.getByRole("button", { name: "Allowed origins…" }).click();
  await field.fill("https://*.example");
  await dialog.getByText("https://*.example is not an origin").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await field.fill("https://shop.example/upload\nhttp://localhost:3000");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const settings = await server.call("GET", "/v1/files/settings", { token });
  const { allowed_origins: saved } = settings.body["data"] as { allowed_origins: unknown };
  assert.deepEqual(saved, ["http://localhost:3000", "https://shop.example"]);
  await page.getByRole("button", { name: "Allowed origins…" }).click();
  assert.equal(await field.inputValue(), "http://localhost:3000\nhttps://shop.example");
  await page.keyboard.press("Escape");
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

const LOOKS: Readonly<Record<string, Look>> = {
  "dark 320 px": { width: 320, height: 640, theme: "dark" },
  "light 360 px": { width: 360, height: 740 },
  "dark 200 %": { width: 1280, zoom: 2, theme: "dark" },
};

for (const [name, look] of Object.entries(LOOKS)) {
  test(`versions, a link and the trash fit the page, ${name}`, { skip: NO_CHROMIUM }, async () => {
    const { server, token } = portal.shared;
    const filename = `${"a name that is much too long for a narrow window ".repeat(4)}.txt`;
    const trashed = await uploaded(server, token, { filename });
    assert.equal((await server.call("DELETE", `/v1/files/${trashed.id}`, { token })).status, 204);
    await uploaded(server, token, { filename });
    const { id } = await uploaded(server, token, { filename });
    const tab = await portal.open(look);
    const { page } = tab;
    const shot = name.replaceAll(" ", "-");
    await tab.go(path("?view=names"));
    await page
      .getByText(/\d versions/)
      .first()
      .waitFor();
    await picture(page, `${shot}-names`);
    assert.deepEqual(await ownFaults(tab), []);
    await tab.go(path("?view=trash"));
    await page
      .getByRole("row", { name: /much too long/ })
      .first()
      .waitFor();
    await picture(page, `${shot}-trash`);
    assert.deepEqual(await ownFaults(tab), []);
    await tab.go(path(`?file=${id}`));
    await page.getByRole("list", { name: "versions" }).waitFor();
    await page.getByRole("list", { name: "versions" }).scrollIntoViewIfNeeded();
    await picture(page, `${shot}-versions`);
    assert.deepEqual(await ownFaults(tab), []);
    await page.getByRole("button", { name: "Share…" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByLabel("share link").waitFor();
    await picture(page, `${shot}-share`);
    assert.deepEqual(await ownFaults(tab), []);
    await tab.close();
  });
}
