/** After a leak, in the portal: a secret is found, an S3 key is rotated, and a person's access ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, NO_CHROMIUM, usePortal } from "./browser.ts";
import { joined, openAs, tokenOf } from "./people.ts";

const portal = usePortal();

test("the owner of a secret is found, and the page never shows the secret", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const json = { name: "leaky worker", scopes: ["telemetry:write"] };
  const made = await server.call<{ id: string; client_secret: string }>("POST", "/v1/credentials", { token, json });
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/credentials`);
  await page.getByRole("button", { name: "Find a leaked secret" }).click();
  await dialog.getByLabel("Secret").fill(made.body.client_secret);
  await dialog.getByRole("button", { name: "Find", exact: true }).click();
  await dialog.getByText("leaky worker").waitFor();
  await dialog.getByText("It works").waitFor();
  await dialog.getByText(`mooring credential rotate ${made.body.id} --overlap-seconds 0`).waitFor();
  assert.ok(!(await dialog.innerText()).includes(made.body.client_secret));
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByLabel("Secret").fill("mrcs_unknown");
  await dialog.getByRole("button", { name: "Find", exact: true }).click();
  await dialog.getByText("Unknown here").waitFor();
  await tab.close();
});

test("an S3 key is rotated, and the page shows until when the old one works", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const key = await server.call<{ id: string; access_key_id: string }>("POST", "/v1/s3/keys", {
    token,
    json: { name: "nightly backup" },
  });
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/s3-keys?key=${key.body.id}`);
  await page.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByText("new access key ID and secret").waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByRole("button", { name: "I have saved the secret" }).click();
  await page.getByText("works until").waitFor();
  const now = await server.call<{ access_key_id: string; former: { access_key_id: string } | null }>(
    "GET",
    `/v1/s3/keys/${key.body.id}`,
    { token },
  );
  assert.equal(now.body.former?.access_key_id, key.body.access_key_id);
  assert.notEqual(now.body.access_key_id, key.body.access_key_id);
  await tab.close();
});

test("a person's access ends, and their page names the remedy", { skip: NO_CHROMIUM }, async () => {
  const { server, home } = portal.shared;
  const email = "grace@acme.example";
  const userId = await joined(portal, email, "developer");
  const hers = await openAs(portal, email);
  const old = await tokenOf(portal, hers, home.org.slug);
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/members?person=${userId}`);
  await page.getByRole("button", { name: "End access" }).click();
  await dialog.getByText("For a leak").waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByRole("button", { name: "End access" }).click();
  await page.getByText("must sign in again").waitFor();
  assert.equal((await server.call("GET", "/v1/me", { token: old })).status, 403);
  await hers.go(`/o/${home.org.slug}/-/explore`);
  await hers.page.getByText("An owner or admin ended your earlier sign-ins").waitFor();
  assert.deepEqual(await faultsOf(hers), []);
  await hers.close();
  await tab.close();
});
