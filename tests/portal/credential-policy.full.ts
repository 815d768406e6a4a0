/** The credential policy in a real browser: addresses with the person's own, warnings, waiting credentials, and the approval. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { postForm } from "../fixtures/http.ts";
import { newClient } from "../fixtures/registry.ts";
import type { Client } from "../fixtures/server.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";
import { joined, openAs } from "./people.ts";

const portal = usePortal({ settings: { trusted_proxies: "127.0.0.1" } });
/** The folder for screenshots. Unset, the test takes none. */
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];

async function pictured(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Returns the faults of the page except its frame, which the test of every page checks. */
async function ownFaults({ page, faults }: Tab): Promise<string[]> {
  return [...(await axe(page)).filter((fault) => !fault.includes("choose an organization")), ...faults];
}

/** Approves a waiting S3 key and limits it to the person's own address. */
async function keyApproved(tab: Tab, id: string): Promise<void> {
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${portal.shared.home.org.slug}/-/s3-keys?key=${id}`);
  await page.getByText("Waits for an approval", { exact: true }).waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Waits for an approval", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.getByRole("button", { name: "Add my address" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("127.0.0.1", { exact: true }).first().waitFor();
  await pictured(page, "s3-key");
}

test(
  "a policy is set with the person's own address, and waiting credentials are approved",
  { skip: NO_CHROMIUM },
  async () => {
    const { server, token, home } = portal.shared;
    const tab = await portal.open();
    const { page } = tab;

    await tab.go(`/o/${home.org.slug}/-/settings?tab=credentials`);
    const field = page.getByLabel("The organization may be used from");
    await field.fill("10.0.0.0/8, office");
    await page.getByText("“office” is neither an address nor a range").waitFor();
    assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
    await field.fill("10.1.2.3/8");
    await page.getByText("Your own address is not in this list").waitFor();
    await page.getByText("Your address is 127.0.0.1").waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await pictured(page, "policy-warning");
    await page.getByRole("button", { name: "Add my address" }).click();
    await page.getByText("Your own address is not in this list").waitFor({ state: "detached" });
    await page.getByLabel("Credentials and keys of developers, maintainers and programs wait for an approval").check();
    await page.getByLabel("Require an expiry for each new credential or S3 key").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The policy applies on all nodes").waitFor();
    await tab.go(`/o/${home.org.slug}/-/roles?tab=policies`);
    for (const text of ["10.0.0.0/8", "127.0.0.1", "Required for new ones"])
      await page.getByText(text).first().waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await pictured(page, "policies");

    await server.call("PATCH", "/v1/organization", { token, json: { policy: { require_expiry: false } } });
    const manager = await server.token(await newClient(server, token, ["credentials:write", "files:read", "s3:read"]));
    const made = await server.call<Client & { id: string }>("POST", "/v1/credentials", {
      token: manager,
      json: { name: "<b>nightly</b>", scopes: ["files:read"], allowed_addresses: ["127.0.0.0/8", "2001:db8::/32"] },
    });
    const key = await server.call<{ id: string }>("POST", "/v1/s3/keys", { token: manager, json: { name: "backup" } });

    await tab.go(`/o/${home.org.slug}/-/credentials?credential=${made.body.id}`);
    await page.getByText("Waits for an approval", { exact: true }).waitFor();
    await page.getByText("2001:db8::/32").waitFor();
    await page.getByRole("cell", { name: "Waits for approval" }).waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await pictured(page, "credential-pending");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Waits for an approval", { exact: true }).waitFor({ state: "detached" });
    const { client_id, client_secret } = made.body;
    const signIn = { grant_type: "client_credentials", client_id, client_secret };
    assert.equal((await postForm(server.origin, "/oauth/token", signIn)).status, 200);

    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("May be used from").fill("192.0.2.0/24");
    await dialog.getByText("at your address will be refused").waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await pictured(page, "credential-change");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("192.0.2.0/24").waitFor();
    assert.equal((await postForm(server.origin, "/oauth/token", signIn)).status, 400);

    await keyApproved(tab, key.body.id);
    assert.deepEqual(tab.faults, []);
    await tab.close();
  },
);

test("a list for people never excludes its author, and keeps other addresses out", { skip: NO_CHROMIUM }, async () => {
  const { home } = portal.shared;
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/settings?tab=credentials`);
  const field = page.getByLabel("The organization may be used from");
  await field.fill("10.0.0.0/8");
  await page.getByLabel("The list applies to").selectOption("both");
  await page.getByText("you would lock yourself out").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  const lockedOut = page.getByText("The list would lock you out: your address is 127.0.0.1");
  // Only if the last uses of credentials are stored already, the form asks about them.
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Save", exact: true });
  await lockedOut.or(confirm).first().waitFor();
  if (await confirm.isVisible()) await confirm.click();
  await lockedOut.waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await pictured(page, "policy-locked-out");
  await page.getByRole("button", { name: "Add my address" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The policy applies on all nodes").waitFor();
  await tab.go(`/o/${home.org.slug}/-/roles?tab=policies`);
  await page.getByText("Credentials, S3 keys and people are refused from other addresses").waitFor();

  await joined(portal, "far@example.com");
  const far = await openAs(portal, "far@example.com");
  await far.context.setExtraHTTPHeaders({ "x-forwarded-for": "203.0.113.9" });
  await far.go(`/o/${home.org.slug}/-`);
  await far.page.getByText("This organization does not allow your address").waitFor();
  assert.deepEqual(await axe(far.page), []);
  await pictured(far.page, "address-refused");
  await far.context.setExtraHTTPHeaders({});
  await far.page.getByRole("button", { name: "Try again" }).click();
  await far.page.getByRole("heading", { name: home.org.name }).first().waitFor();
  await far.close();
  await tab.close();
});

test("the forms fit a narrow page, in the dark theme", { skip: NO_CHROMIUM }, async () => {
  const { home } = portal.shared;
  const narrow = await portal.open({ width: 320, height: 640, theme: "dark" });
  for (const path of [
    "settings?tab=credentials",
    "credentials?new=true",
    "s3-keys?create=true",
    "roles?tab=policies",
  ]) {
    await narrow.go(`/o/${home.org.slug}/-/${path}`);
    assert.equal(await overflow(narrow.page), 0, path);
    assert.deepEqual(await ownFaults(narrow), [], path);
    await pictured(narrow.page, `narrow-${path.replaceAll(/\W/g, "-")}`);
  }
  await narrow.close();
});
