/**
 * A bucket in a real browser: its folders, an object with its versions and links, uploads and deletions. Hostile keys
 * are shown as text.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { PutBucketVersioningCommand } from "@aws-sdk/client-s3";
import { keysIn, putObject } from "../fixtures/buckets.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];

const HOSTILE = [
  "../up",
  "..",
  "/leading",
  "<img src=x onerror=stolen(1)>",
  "\u202egpj.exe",
  "new\nline",
  "a//b",
  "1",
  "true",
  "é".repeat(512),
];

/** Returns the faults of the page except its frame, which the test of every page checks. */
async function ownFaults({ page, faults }: Tab): Promise<string[]> {
  return [...(await axe(page)).filter((fault) => !fault.includes("choose an organization")), ...faults];
}

async function picture({ page }: Tab, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/buckets-${name}.png` });
}

async function newBucket(slug: string): Promise<string> {
  const { server, token, home } = portal.shared;
  const made = await server.call("POST", "/v1/apps", { token, json: { project: home.project.slug, slug } });
  assert.equal(made.status, 201, made.text);
  return `/o/${home.org.slug}/-/buckets/${slug}`;
}

const put = (bucket: string, key: string, content?: string): Promise<void> =>
  putObject(portal.shared.server, portal.shared.token, { bucket, key, ...(content === undefined ? {} : { content }) });
const keys = (bucket: string): Promise<string[]> => keysIn(portal.shared.server, portal.shared.token, bucket);

test("the button of an empty bucket uploads objects into the open folder", { skip: NO_CHROMIUM }, async () => {
  const path = await newBucket("uploads");
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path);
  await page.getByRole("heading", { name: "No objects yet" }).waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await picture(tab, "empty");
  const files = [
    { name: "one.txt", mimeType: "text/plain", buffer: Buffer.from("one") },
    { name: "<b>two.bin", mimeType: "", buffer: Buffer.alloc(3_000_000, 1) },
  ];
  await page.getByLabel("Files to upload").setInputFiles(files);
  await page.getByText("2 of 2 objects uploaded").waitFor();
  await page.getByRole("button", { name: "one.txt", exact: true }).waitFor();
  await tab.go(`${path}?at=${encodeURIComponent("/in/../here/")}`);
  await page.getByText("Nothing is in this folder").waitFor();
  await page.getByLabel("Files to upload").setInputFiles(files.slice(0, 1));
  await page.getByText("1 of 1 object uploaded").waitFor();
  await page.getByRole("button", { name: "one.txt", exact: true }).waitFor();
  await page.evaluate(`{
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    for (const type of ["dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }`);
  await page.getByText("2 of 2 objects uploaded").waitFor();
  assert.deepEqual(await keys("uploads"), ["<b>two.bin", "in/../here/dropped.txt", "in/../here/one.txt", "one.txt"]);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("folders are opened, and an object is shown, linked, downloaded and deleted", { skip: NO_CHROMIUM }, async () => {
  const path = await newBucket("browse");
  for (const key of ["year/2026/a.txt", "year/2026/b.txt", "year/2025/a.txt", "readme.txt"]) await put("browse", key);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(path);
  await page.getByRole("button", { name: "year/" }).click();
  await page.getByRole("button", { name: "2026/" }).click();
  await page.getByRole("button", { name: "b.txt" }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("at"), "/year/2026/");
  await page.goBack();
  await page.getByRole("button", { name: "2025/" }).waitFor();
  await page.getByRole("navigation", { name: "Folder" }).getByRole("button", { name: "browse" }).click();
  await page.getByRole("searchbox").fill("read");
  await page.getByRole("button", { name: "year/" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "readme.txt" }).click();
  const inspector = page.getByRole("complementary", { name: "Details" });
  await inspector.getByText("s3://browse/readme.txt").first().waitFor();
  await inspector.getByLabel("Works for").selectOption("86400");
  await inspector.getByRole("button", { name: "Create link" }).click();
  const url = await inspector.getByLabel("share link").textContent();
  assert.equal(await (await fetch(url ?? "")).text(), "readme.txt");
  assert.deepEqual(await ownFaults(tab), []);
  await picture(tab, "object");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    inspector.getByRole("button", { name: "Download" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "readme.txt");
  // The link leads to the gateway's own origin, as it should.
  assert.deepEqual(
    tab.faults.splice(0).filter((fault) => !fault.startsWith("a request went to")),
    [],
  );
  await inspector.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This cannot be undone").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await dialog.getByLabel(/^Type browse/).fill("browse");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("No name begins with this").waitFor();
  assert.deepEqual(await keys("browse"), ["year/2025/a.txt", "year/2026/a.txt", "year/2026/b.txt"]);

  await tab.go(`${path}?bytes=true`);
  await page.getByRole("group", { name: "bytes by prefix" }).getByRole("button", { name: "year/" }).waitFor();
  await picture(tab, "bytes");
  assert.deepEqual(await ownFaults(tab), []);
  await page.getByLabel("Select year/").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByText("and its content").waitFor();
  await dialog.getByLabel(/^Type browse/).fill("browse");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "No objects yet" }).waitFor();
  assert.deepEqual(await keys("browse"), []);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("a deleted object can be restored if the bucket has versions", { skip: NO_CHROMIUM }, async () => {
  const path = await newBucket("versions");
  const { server, home } = portal.shared;
  const s3 = sdkClient(await s3EndpointOf(server, home));
  const VersioningConfiguration = { Status: "Enabled" } as const;
  await s3.send(new PutBucketVersioningCommand({ Bucket: "versions", VersioningConfiguration }));
  s3.destroy();
  for (const content of ["1", "22"]) await put("versions", "notes.txt", content);
  const tab = await portal.open({ theme: "dark" });
  const { page } = tab;
  await tab.go(path);
  await page.getByLabel("Select notes.txt").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("leaves a delete marker").waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "No objects yet" }).waitFor();
  await page.getByRole("button", { name: "Versions and deleted" }).click();
  await page.getByText("old version").first().waitFor();
  await page
    .getByRole("row", { name: /deleted/ })
    .getByRole("button", { name: "notes.txt" })
    .click();
  const inspector = page.getByRole("complementary", { name: "Details" });
  await inspector.getByText("older versions are below").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await picture(tab, "versions");
  await inspector.getByRole("button", { name: "Undo the deletion" }).click();
  await inspector.getByText("2 B (2 bytes)").waitFor();
  assert.deepEqual(await keys("versions"), ["notes.txt"]);
  await inspector.getByRole("button", { name: "Show" }).click();
  await inspector.getByText("1 B (1 bytes)").waitFor();
  await inspector.getByRole("button", { name: "Delete this version…" }).click();
  await dialog.getByLabel(/^Type versions/).fill("versions");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("hostile keys are shown as text, and are opened and deleted like others", { skip: NO_CHROMIUM }, async () => {
  const path = await newBucket("hostile");
  for (const key of HOSTILE) await put("hostile", key, "x");
  const tab = await portal.open();
  const { page } = tab;
  const stolen: unknown[] = [];
  await tab.context.exposeFunction("stolen", (value: unknown) => stolen.push(value));
  await tab.go(path);
  await page.getByText("<img src=x onerror=stolen(1)>").waitFor();
  await page.getByText("⟨U+202E⟩gpj.exe").waitFor();
  await page.getByText("new⟨U+000A⟩line").waitFor();
  await picture(tab, "hostile");
  for (const key of HOSTILE) {
    await tab.go(`${path}?object=${encodeURIComponent(`/${key}`)}`);
    const inspector = page.getByRole("complementary", { name: "Details" });
    await inspector.getByText("1 B (1 bytes)").waitFor();
    await inspector.getByRole("button", { name: "Create link" }).click();
    const url = await inspector.getByLabel("share link").textContent();
    assert.equal(await (await fetch(url ?? "")).text(), "x", key);
  }
  assert.equal(await page.locator("img[src=x]").count(), 0);
  assert.deepEqual(stolen, []);
  assert.deepEqual(tab.faults, []);
  await tab.close();

  const narrow = await portal.open({ width: 320, height: 640, theme: "dark" });
  await narrow.go(`${path}?at=${encodeURIComponent("/a//")}`);
  await narrow.page.getByRole("button", { name: "b", exact: true }).waitFor();
  assert.equal(await overflow(narrow.page), 0);
  assert.deepEqual(await ownFaults(narrow), []);
  await picture(narrow, "narrow");
  await narrow.go(`${path}?object=${encodeURIComponent(`/${"é".repeat(512)}`)}`);
  await narrow.page.getByText("1 B (1 bytes)").waitFor();
  assert.equal(await overflow(narrow.page), 0);
  assert.deepEqual(await ownFaults(narrow), []);
  await picture(narrow, "narrow-object");
  await narrow.close();
});

test("a missing or hidden bucket has an error page", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  await tab.go(`/o/${portal.shared.home.org.slug}/-/buckets/absent`);
  await tab.page.getByRole("heading", { name: "Not found", exact: true }).waitFor();
  await tab.close();
});
