/**
 * Projects in a real browser: environments are shown beside every project, an archive refuses changes, an app moves,
 * and an audit entry opens by its address.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, NO_CHROMIUM, overflow, usePortal, type Look, type Tab } from "./browser.ts";
import { joined, openAs, tokenOf } from "./people.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const path = (project: string, page: string): string =>
  `/o/${portal.shared.home.org.slug}/${project}/${page}`.replace(/\/$/, "");

async function made(method: string, at: string, json?: object): Promise<Record<string, unknown>> {
  const { server, token } = portal.shared;
  const answer = await server.call(method, at, { token, ...(json === undefined ? {} : { json }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

async function looked(tab: Tab, name: string): Promise<void> {
  assert.deepEqual(await axe(tab.page), []);
  await pictured(tab, name);
}

async function pictured(tab: Tab, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(join(PICTURES, "projects"), { recursive: true });
  await tab.page.screenshot({ path: join(PICTURES, "projects", `${name}.png`) });
}

test("a production project is marked beside its name, and before a deletion in it", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page, faults } = tab;
  await tab.go(path("-", "projects"));
  await page.getByRole("button", { name: "Create project" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Live");
  await dialog.getByLabel("Slug").fill("live");
  await dialog.getByLabel("Environment").fill("Prod uction");
  await dialog.getByText("1 to 20 characters").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Create" }).isDisabled(), true);
  await dialog.getByLabel("Environment").fill("production");
  await looked(tab, "new project");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Live/ }).getByText("production").waitFor();
  await page.getByRole("button", { name: "Create app" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("live web");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByText("Live is a production project").waitFor();
  await looked(tab, "delete in production");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await tab.go(path("live", ""));
  await page.locator("main").getByText("production").first().waitFor();
  const picker = page.getByRole("button", { name: /choose an organization and project/ });
  await picker.getByText("production").waitFor();
  await looked(tab, "home");
  await picker.click();
  await page.getByRole("menuitem", { name: /live.*production/ }).waitFor();
  await pictured(tab, "home and switcher"); // An open menu is outside of every landmark.
  await tab.go(path("-", "projects?environment=staging"));
  await page.getByText("No project has this environment").waitFor();
  assert.deepEqual(faults, []);
  await tab.close();
});

test("before an app moves to another project, the page shows who will have access", { skip: NO_CHROMIUM }, async () => {
  await made("POST", "/v1/projects", { slug: "from", name: "From" });
  await made("POST", "/v1/projects", { slug: "to", name: "To", environment: "staging" });
  await made("POST", "/v1/apps", { project: "from", slug: "mover" });
  const { id } = await made("GET", "/v1/projects/from");
  const tab = await portal.open();
  const { page, faults } = tab;
  await tab.go(path("-", `projects?open=${String(id)}`));
  await page.getByRole("button", { name: "Move…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("To").selectOption({ label: "To (to)" });
  await dialog.getByText("credentials and S3 keys of From lose access").waitFor();
  await dialog.getByText("To is staging.").waitFor();
  await looked(tab, "move");
  await dialog.getByRole("button", { name: "Move the app" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("No apps yet").waitFor();
  assert.equal((await made("GET", "/v1/apps/mover"))["project_slug"], "to");
  assert.deepEqual(faults, []);
  await tab.close();
});

test(
  "an archived project is collapsed, disabled with the reason, and can be unarchived",
  { skip: NO_CHROMIUM },
  async () => {
    const { id } = await made("POST", "/v1/projects", { slug: "old", name: "Old shop" });
    await made("POST", "/v1/apps", { project: "old", slug: "old-web" });
    const tab = await portal.open();
    const { page, faults } = tab;
    await tab.go(path("-", `projects?open=${String(id)}&tab=danger`));
    await page.getByRole("button", { name: "Archive this project" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("its webhooks answer 404").waitFor();
    await looked(tab, "archive");
    await dialog.getByRole("button", { name: "Archive the project" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Unarchive" }).waitFor();
    await page.getByRole("row", { name: /Old shop/ }).waitFor({ state: "detached" });
    await page.getByLabel("Archived too").check();
    await page
      .getByRole("row", { name: /Old shop/ })
      .getByText("archived")
      .waitFor();
    await page.getByRole("tab", { name: "Apps" }).click();
    const grey = (name: string) =>
      page
        .locator("button:disabled")
        .and(page.getByRole("button", { name }))
        .and(page.getByTitle(/archived: unarchive it first/))
        .first();
    await grey("Create app").waitFor();
    await looked(tab, "archived");
    await tab.go(path("old", ""));
    await page.getByText("It is read-only.").waitFor();
    await tab.go(path("old", "webhooks"));
    await grey("Create webhook").waitFor();
    await tab.go(path("-", `projects?open=${String(id)}&tab=danger`));
    await page.getByRole("button", { name: "Unarchive" }).click();
    await page.getByRole("button", { name: "Archive this project" }).waitFor();
    assert.deepEqual(faults, []);
    await tab.close();
  },
);

test(
  "an old entry of the audit log opens by its address; a missing one is an error",
  { skip: NO_CHROMIUM },
  async () => {
    const { items } = (await made("GET", "/v1/audit?action=project.archive&limit=1")) as { items: { id: string }[] };
    const id = items[0]?.id ?? assert.fail("nothing was archived");
    const tab = await portal.open();
    const { page, faults } = tab;
    await tab.go(path("-", `audit?action=credential.&entry=${id}`));
    await page.getByRole("heading", { name: "project.archive" }).waitFor();
    await looked(tab, "audit entry");
    await tab.go(path("-", "audit?entry=aud_00000000000000000000000000"));
    await page.getByRole("heading", { name: "Not found", exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await tab.close();
  },
);

const LOOKS: Readonly<Record<string, Look>> = {
  dark: { theme: "dark" },
  narrow: { width: 320, height: 640 },
};

for (const [name, look] of Object.entries(LOOKS)) {
  test(`the projects, ${name}`, { skip: NO_CHROMIUM }, async () => {
    const { id } = await made("GET", "/v1/projects/live");
    const tab = await portal.open(look);
    for (const page of ["projects?archived=true", `projects?open=${String(id)}&tab=danger`]) {
      await tab.go(path("live", page));
      assert.equal(await overflow(tab.page), 0);
      await looked(tab, `${name} ${page.slice(9, 13)}`);
    }
    assert.deepEqual(tab.faults, []);
    await tab.close();
  });
}

test("an owner sees what a private project is, and enters it with a reason", { skip: NO_CHROMIUM }, async () => {
  const { server, home } = portal.shared;
  await joined(portal, "keeper@example.com", "admin");
  const keeper = await openAs(portal, "keeper@example.com");
  const token = await tokenOf(portal, keeper, home.org.slug);
  const json = { slug: "vault", name: "Vault", visibility: "private" };
  const created = await server.call("POST", "/v1/projects", { token, json });
  assert.equal(created.status, 201, created.text);
  const tab = await portal.open();
  const { page, faults } = tab;
  await tab.go(path("-", `projects?open=${String(created.body["id"])}`));
  await page.getByText("You are an owner, and not a member of this private project").waitFor();
  await page.getByRole("region", { name: "Members of the project" }).getByText("keeper").waitFor();
  await looked(tab, "outside");
  await page.getByRole("button", { name: "Enter the project" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("An audit");
  await looked(tab, "enter");
  await dialog.getByRole("button", { name: "Enter", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Members" }).click();
  await page.getByText("Entered as an owner").waitFor();
  await looked(tab, "inside");
  await keeper.go(path("vault", ""));
  await keeper.page.getByRole("group", { name: "Owners who have entered the project" }).getByText("An audit").waitFor();
  await looked(keeper, "entries");
  assert.deepEqual([...faults, ...keeper.faults], []);
  await tab.close();
  await keeper.close();
});
