/** The operator's pages for organizations, other operators and operator tokens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, NO_CHROMIUM, PASSWORD, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();

/** A dialog that asks for the password again appears if the last proof is too old. */
async function confirmed({ page }: Tab, done: string): Promise<void> {
  const confirm = page.getByRole("dialog", { name: "Confirm that it is you" });
  await confirm.or(page.getByText(done)).first().waitFor();
  if (await confirm.isVisible()) {
    await confirm.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await confirm.getByRole("button", { name: "Confirm" }).click();
  }
  await page.getByText(done).first().waitFor();
}

async function choose({ page }: Tab, act: string): Promise<void> {
  await page.getByRole("button", { name: /^Actions on Second/ }).click();
  await page.getByRole("menuitem", { name: act, exact: true }).click();
}

test("an operator renames an organization and sets its quotas", { skip: NO_CHROMIUM }, async () => {
  const { server } = portal.shared;
  const tab = await portal.open();
  const { page } = tab;
  const made = await page.request.post(`${server.origin}/api/instance/organizations`, {
    data: { slug: "second", name: "Second", owner_email: "boss@example.org" },
    headers: { origin: server.origin },
  });
  assert.equal(made.status(), 201, await made.text());
  await tab.go("/instance?tab=organizations");
  await choose(tab, "Rename");
  await page.getByLabel("Slug").fill("second-2");
  await page.getByLabel("Name", { exact: true }).fill("Second Ltd");
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await confirmed(tab, "The organization is now Second Ltd (second-2).");
  await page.getByRole("cell", { name: "Second Ltd", exact: true }).waitFor();
  await choose(tab, "Quotas");
  await page.getByLabel("Images, bytes").fill("5000");
  await page.getByLabel("Files and buckets, bytes").fill("none");
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await confirmed(tab, "The quotas are saved.");
  const quotas = await page.request.get(`${server.origin}/api/instance/organizations/second-2/quotas`);
  const { images_stored_bytes_max: images, files_stored_bytes_max: files } = (await quotas.json()) as {
    images_stored_bytes_max: unknown;
    files_stored_bytes_max: unknown;
  };
  assert.deepEqual([images, files], [5000, "none"]);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("an operator token is created, shown once, used and revoked", { skip: NO_CHROMIUM }, async () => {
  const { server } = portal.shared;
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=operators");
  await page.getByText("No token yet").waitFor();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Name").fill("terraform");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await confirmed(tab, "terraform is created");
  assert.deepEqual(await axe(page), []);
  const token = /mrop_\w+/.exec(await page.getByRole("dialog").innerText())?.[0] ?? assert.fail("no token");
  const used = await fetch(`${server.origin}/api/instance/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(used.status, 200, await used.text());
  await page.getByRole("button", { name: "I have saved the secret" }).click();
  await page.getByRole("button", { name: "Revoke terraform" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("terraform");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await confirmed(tab, "The operator token terraform is revoked.");
  const refused = await fetch(`${server.origin}/api/instance/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(refused.status, 401);
  await page.getByText("No token yet").waitFor();
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("an operator deletes an organization, and keeps it", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=organizations");
  await choose(tab, "Delete");
  await page.getByRole("dialog").getByRole("textbox").fill("second-2");
  assert.deepEqual(await axe(page), []);
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await confirmed(tab, "Second Ltd is deleted.");
  await page.getByRole("cell", { name: "deleted", exact: true }).waitFor();
  await choose(tab, "Keep");
  await page.getByRole("dialog").getByRole("button", { name: "Keep", exact: true }).click();
  await confirmed(tab, "Second Ltd is kept.");
  await page.getByRole("cell", { name: "deleted", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test(
  "an owner deletes the organization under Settings, and keeps it on the page that says so",
  { skip: NO_CHROMIUM },
  async () => {
    const { home } = portal.shared;
    const tab = await portal.open();
    const { page } = tab;
    await tab.go(`/o/${home.org.slug}/-/settings`);
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(home.org.slug);
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    const title = "An owner or the operator deleted this organization";
    await confirmed(tab, title);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Keep the organization" }).click();
    await page.getByText(title).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await tab.close();
  },
);
