/** The pages of people with lesser roles: usable pages, grey buttons with a reason, and no request that the server refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axe, NO_CHROMIUM, settled, usePortal, type Tab } from "./browser.ts";
import { fill } from "./content.ts";
import { joined, openAs, tokenOf } from "./people.ts";

const portal = usePortal();
const path = (project: string, page: string): string =>
  `/o/${portal.shared.home.org.slug}/${project}/${page}`.replace(/\/$/, "");

/** Opens a tab of a member with the least role of the organization and, if one is given, a role in its first project. */
async function openRole(
  name: string,
  projectRole?: "reader" | "writer" | "maintainer",
): Promise<Tab & { refused: string[] }> {
  await fill(portal.shared);
  const { server, token, home } = portal.shared;
  const email = `${name}@acme.example`;
  const id = await joined(portal, email);
  if (projectRole !== undefined) {
    const member = `/v1/projects/${home.project.id}/members/${id}`;
    const given = await server.call("PUT", member, { token, json: { role: projectRole } });
    assert.equal(given.status, 200, given.text);
  }
  const tab = await openAs(portal, email);
  const refused: string[] = [];
  tab.page.on("response", (response) => {
    const code = response.status();
    if (code === 401 || code === 403 || code === 404) refused.push(`${code} ${new URL(response.url()).pathname}`);
  });
  return { ...tab, refused };
}

/** Returns the paths of the pages in the rail. */
async function railOf(page: Page): Promise<string[]> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Home" }).waitFor();
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll("nav[aria-label=Pages] a")].map((link) => new URL(link.href).pathname)`,
  );
  return paths.filter((each) => each.startsWith("/o/"));
}

/** Opens each page. Returns the faults. */
async function eachPage(tab: Tab & { refused: string[] }, project: string): Promise<string[]> {
  const wrong: string[] = [];
  await tab.go(path(project, ""));
  await tab.page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Usage and limits" }).waitFor();
  for (const each of await railOf(tab.page)) {
    await tab.go(each);
    await tab.page.waitForLoadState("networkidle");
    const notes = await tab.page.getByRole("alert").allTextContents();
    const grey = await greyWithoutReason(tab.page);
    const found = [...notes, ...grey, ...tab.faults.splice(0), ...tab.refused.splice(0)];
    wrong.push(...found.map((fault) => `${each}: ${fault}`));
  }
  return wrong;
}

/** Buttons that wait for input or a change need no reason, because they are grey for everybody. */
const NO_REASON_NEEDED = /^(Save|Run|Explain|Export|Open)/;

async function greyWithoutReason(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string[]>(
    `[...document.querySelectorAll("main button:disabled:not([title])")]
      .filter((button) => button.closest("fieldset:disabled") === null)
      .map((button) => (button.textContent + " " + (button.ariaLabel ?? "")).trim())`,
  );
  return texts.filter((text) => !NO_REASON_NEEDED.test(text)).map((text) => `grey without a reason: ${text}`);
}

/** Waits, because the page does not know the person's roles at first. */
async function isGrey(page: Page, name: string, reason: RegExp): Promise<void> {
  const grey = page.locator("main button:disabled").and(page.getByRole("button", { name, exact: true }));
  await grey.and(page.getByTitle(reason)).first().waitFor();
}

test("a viewer of the organization reads, and sees why other actions are grey", { skip: NO_CHROMIUM }, async () => {
  const tab = await openRole("viewer");
  const { slug } = portal.shared.home.project;
  for (const project of ["-", slug]) assert.deepEqual(await eachPage(tab, project), []);
  const rail = (await railOf(tab.page)).map((each) => each.split("/")[4] ?? "");
  for (const hidden of ["credentials", "s3-keys", "audit"]) assert.ok(!rail.includes(hidden), hidden);
  await tab.go(path("-", "webhooks"));
  await isGrey(tab.page, "Create webhook", /lacks webhooks:write/);
  await tab.go(path(slug, "files"));
  await isGrey(tab.page, "Upload files", /lacks files:write/);
  await tab.go(path("-", "projects"));
  await isGrey(tab.page, "Create project", /lacks projects:write/);
  tab.refused.length = 0;
  await tab.go(path("-", "audit"));
  await tab.page.getByText("You can't see this page").waitFor();
  await tab.close();
});

test("a reader of a project reads the same as everybody", { skip: NO_CHROMIUM }, async () => {
  const tab = await openRole("reader", "reader");
  const { slug } = portal.shared.home.project;
  assert.deepEqual(await eachPage(tab, slug), []);
  await tab.go(path(slug, "buckets"));
  await isGrey(tab.page, "Create bucket", /lacks apps:write/);
  await tab.close();
});

test("a writer of a project creates webhooks and files in it, and nowhere else", { skip: NO_CHROMIUM }, async () => {
  const tab = await openRole("writer", "writer");
  const { page } = tab;
  const { slug } = portal.shared.home.project;
  for (const project of ["-", slug]) assert.deepEqual(await eachPage(tab, project), []);
  for (const project of ["-", slug]) {
    await tab.go(path(project, "webhooks"));
    await page.getByRole("button", { name: "Create webhook" }).first().click();
    const dialog = page.getByRole("dialog");
    assert.deepEqual(await dialog.getByLabel("Project").locator("option").count(), 1, "only in permitted projects");
    await dialog.getByLabel("Name", { exact: true }).fill(`by a writer in ${project}`);
    await dialog
      .getByLabel("The sender, and its verification scheme")
      .selectOption({ label: "None: everybody who knows the address" });
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByLabel("Address of the webhook").waitFor();
  }
  await tab.go(path("ledger", "webhooks"));
  await isGrey(page, "Create webhook", /lacks webhooks:write/);
  await tab.go(path("-", "files"));
  await isGrey(page, "Upload files", /choose a project where you have it/);
  await tab.go(path(slug, "files"));
  const file = { name: "tides.csv", mimeType: "text/csv", buffer: Buffer.from("hour,metres\n") };
  await page.getByLabel("Files to upload").first().setInputFiles(file);
  const row = page.getByRole("row", { name: /tides\.csv/ });
  await row
    .getByRole("button", { name: /tides\.csv/ })
    .first()
    .click();
  const remove = page.getByRole("complementary", { name: "Details" }).getByRole("button", { name: "Delete…" });
  assert.equal(await remove.isEnabled(), true);
  assert.deepEqual([...tab.faults, ...tab.refused], []);
  await tab.close();
});

test("a maintainer of a project creates credentials, keys and buckets in it", { skip: NO_CHROMIUM }, async () => {
  const tab = await openRole("maintainer", "maintainer");
  const { page } = tab;
  const { slug } = portal.shared.home.project;
  assert.deepEqual(await eachPage(tab, slug), []);
  await tab.go(path("-", "credentials"));
  await page.getByRole("button", { name: "Create credential" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("of the project");
  await page
    .getByRole("button", { name: /Telemetry writer/i })
    .first()
    .click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Create/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Test now" }).waitFor();
  await tab.go(path(slug, "s3-keys"));
  await page.getByRole("button", { name: "Create S3 key" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("of the project");
  await page
    .getByRole("dialog")
    .getByLabel(/s3:write/)
    .check();
  await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
  await page
    .getByText(/^AKIA|Secret access key/i)
    .first()
    .waitFor();
  await tab.go(path("-", "buckets"));
  await page.getByRole("button", { name: "Create bucket" }).first().click();
  await page.getByRole("dialog").getByLabel("Bucket", { exact: true }).fill("of-the-project");
  await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await settled(page);
  assert.deepEqual([...tab.faults, ...tab.refused], []);
  await tab.close();
});

test(
  "an owner creates a custom role, gives it to a person, and changes it for them",
  { skip: NO_CHROMIUM },
  async () => {
    const id = await joined(portal, "auditor@acme.example", "guest");
    const tab = await portal.open();
    const { page, faults } = tab;
    const dialog = page.getByRole("dialog");
    await tab.go(path("-", "roles"));
    await page.getByRole("button", { name: "Create role" }).click();
    await dialog.getByLabel("Slug").fill("auditor");
    await dialog.getByLabel("Name", { exact: true }).fill("Auditor");
    for (const scope of ["audit:read", "org:read"]) await dialog.getByLabel(new RegExp(`^${scope} `)).check();
    assert.deepEqual(await axe(page), []);
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("group", { name: "Custom roles" }).getByText("auditor", { exact: true }).waitFor();

    await tab.go(path("-", `members?person=${id}`));
    await page.getByLabel("Role in the organization").selectOption("custom:auditor");
    await page.getByRole("button", { name: "Make auditor" }).click();
    await page.getByText("auditor is auditor now").waitFor();
    const theirs = await openAs(portal, "auditor@acme.example");
    await theirs.go(path("-", "audit"));
    await theirs.page.getByText("role.create").first().waitFor();

    await tab.go(path("-", "roles"));
    await page.getByRole("button", { name: "Auditor" }).click();
    assert.ok(await dialog.getByRole("button", { name: "Delete this role" }).isDisabled());
    await dialog.getByLabel(/^audit:read /).uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const { server, home } = portal.shared;
    const token = await tokenOf(portal, theirs, home.org.slug);
    assert.deepEqual((await server.call("GET", "/v1/me", { token })).body["scopes"], ["org:read"]);
    assert.equal((await server.call("GET", "/v1/audit", { token })).status, 403);
    assert.deepEqual(faults, []);
    await theirs.close();
    await tab.close();
  },
);
