/** The effects of a removal, a lowered role and a revocation are shown before, and an orphan is adopted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, NO_CHROMIUM, usePortal } from "./browser.ts";
import { joined, openAs, tokenOf } from "./people.ts";

const portal = usePortal();

/** Adds an admin who makes a credential. Returns both ids. */
async function maker(email: string, name: string): Promise<{ userId: string; id: string }> {
  const { server, home } = portal.shared;
  const userId = await joined(portal, email, "admin");
  const tab = await openAs(portal, email);
  const token = await tokenOf(portal, tab, home.org.slug);
  await tab.close();
  const json = { name, scopes: ["audit:read", "files:read"] };
  const made = await server.call<{ id: string }>("POST", "/v1/credentials", { token, json });
  assert.equal(made.status, 201, made.text);
  return { userId, id: made.body.id };
}

test("a lowered role and a removal show their effects, and an orphan is adopted", { skip: NO_CHROMIUM }, async () => {
  const { home } = portal.shared;
  const { userId, id } = await maker("grace@acme.example", "nightly report");
  const tab = await portal.open();
  const { page } = tab;
  const at = (path: string): Promise<unknown> => tab.go(`/o/${home.org.slug}/-/${path}`);
  const dialog = page.getByRole("dialog");
  await at(`members?person=${userId}`);
  await page.getByLabel("Role in the organization").selectOption("developer");
  await page.getByText("lowered from admin to developer").first().waitFor();
  await page.getByText("audit:read").first().waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await page.getByRole("button", { name: "Make developer" }).click();
  await page.getByText("is developer now").waitFor();

  await at(`credentials?credential=${id}`);
  await page.getByRole("cell", { name: "Reduced permissions" }).waitFor();
  await page.getByText("lowered from admin to developer").first().waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await page.getByRole("button", { name: "Adopt", exact: true }).click();
  await dialog.getByText("Your permissions limit this credential from now on").waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByRole("button", { name: "Adopt" }).click();
  await page.getByText("You are responsible for nightly report now").waitFor();
  await page.getByRole("cell", { name: "Active" }).first().waitFor();
  await tab.close();
});

test("a removal passes credentials on or revokes them, as chosen", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const { userId, id } = await maker("mary@acme.example", "weekly report");
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/members?person=${userId}`);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await dialog.getByText("Somebody else becomes responsible for 1 credential or key").waitFor();
  await dialog.getByLabel("Their credentials and S3 keys that would lose permissions").selectOption("revoke");
  await dialog.getByText("1 credential or key loses permissions").waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByLabel(/^Type/).fill("mary@acme.example");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("is removed").waitFor();
  const { body } = await server.call("GET", `/v1/credentials/${id}`, { token });
  assert.deepEqual([body["state"], body["state_reason"]], ["ended", "revoked"]);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("a revocation shows what ends with it, and after a leak adopts nothing", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const json = { name: "leaked", scopes: ["credentials:write", "files:read"] };
  const { body: parent } = await server.call<{ id: string; client_id: string; client_secret: string }>(
    "POST",
    "/v1/credentials",
    { token, json },
  );
  const child = await server.call<{ id: string }>("POST", "/v1/credentials", {
    token: await server.token(parent),
    json: { name: "backdoor", scopes: ["files:read"] },
  });
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/credentials?credential=${parent.id}`);
  await page.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText(`revoked with its parent ${parent.id}`).waitFor();
  await dialog.getByLabel("Adopt the credentials for which it is responsible").check();
  await dialog.getByText("Somebody else becomes responsible").waitFor();
  await dialog.getByLabel("Its secret leaked").check();
  await dialog.getByText("after a leak").first().waitFor();
  assert.ok(await dialog.getByLabel("Adopt the credentials for which it is responsible").isDisabled());
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByLabel(/^Type/).fill("leaked");
  await dialog.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText("leaked is revoked").waitFor();
  const shown = await server.call("GET", `/v1/credentials/${child.body.id}`, { token });
  assert.equal(shown.body["state_reason"], `revoked with its parent ${parent.id} after a leak`);
  await tab.close();
});
