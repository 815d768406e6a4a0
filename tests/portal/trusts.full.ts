/** Trusted issuers in a real browser: a job of a test issuer gets a token by the trust that the page created. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { postForm } from "../fixtures/http.ts";
import { startIssuer, type Issuer } from "../fixtures/issuer.ts";
import { faultsOf, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal({ settings: { webhooks_private_addresses: "allow" } });
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const SUBJECT = "repo:acme/shop:ref:refs/heads/main";

let issuer: Issuer;
before(async () => (issuer = await startIssuer()));
after(() => issuer.close());

/** Returns the faults of the page except its frame, which the test of every page checks. */
async function ownFaults(tab: Tab): Promise<string[]> {
  const found = await faultsOf(tab);
  const over = await overflow(tab.page);
  return [...found, ...(over > 0 ? [`reaches ${over} px past the edge`] : [])];
}

async function picture({ page }: Tab, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `trusts ${name}.png`), fullPage: true });
}

async function ask(clientId: string, assertion: string): Promise<{ status: number; token: string; error: unknown }> {
  const { status, body } = await postForm(portal.shared.server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    client_id: clientId,
    client_assertion_type: TYPE,
    client_assertion: assertion,
  });
  return { status, token: String(body["access_token"]), error: body["error"] };
}

/** Opens the page by its address, in the dark theme and in narrow windows. */
async function checkLooks(address: string): Promise<void> {
  const { pathname, search } = new URL(address);
  for (const [name, look] of [
    ["dark wide", { theme: "dark" }],
    ["light 360 px", { width: 360, height: 800 }],
    ["light 320 px", { width: 320, height: 640 }],
  ] as const) {
    const other = await portal.open(look);
    await other.go(pathname + search);
    await other.page.getByRole("heading", { name: "Use it in a job" }).waitFor();
    await picture(other, name);
    assert.deepEqual(await ownFaults(other), [], name);
    await other.close();
  }
}

test(
  "a credential without a secret gets a trust, a job gets a token, and the trust is deleted",
  { skip: NO_CHROMIUM },
  async () => {
    const { server, home } = portal.shared;
    const tab = await portal.open();
    const { page } = tab;
    const path = `/o/${home.org.slug}/-/trusts`;
    await tab.go(path);
    await page.getByText("No issuer is trusted yet").waitFor();
    await picture(tab, "empty");

    await tab.go(`/o/${home.org.slug}/-/credentials?new=true&template=ci&without_secret=true`);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("deploys");
    assert.equal(await page.getByLabel(/^Without a secret/).isChecked(), true);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("No secret is accepted.").waitFor();
    await page.getByRole("link", { name: "Create trust" }).click();

    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Owner").fill("acme");
    await dialog.getByLabel("Repository").fill("shop");
    await dialog.getByText(SUBJECT).waitFor();
    await dialog.getByLabel("Branch").fill("**");
    await dialog.getByText(/every branch, also/).waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await picture(tab, "dialog");
    await dialog.getByRole("button", { name: "Any OpenID issuer" }).click();
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("shop's main branch");
    await dialog.getByLabel("Issuer").fill(issuer.url);
    await dialog.getByLabel("Subject").fill("repo:*:ref:refs/heads/main");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await dialog.getByText(/only after its first two parts/).waitFor();
    await dialog.getByLabel("Subject").fill("repo:acme/shop:ref:refs/heads/*");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Use it in a job" }).waitFor();

    const clientId = /mrc_[0-9a-z]{26}/.exec((await page.getByRole("complementary").textContent()) ?? "")?.[0] ?? "";
    const aud = server.origin;
    const { status, token } = await ask(clientId, await issuer.token({ aud, sub: SUBJECT }));
    assert.equal(status, 200);
    assert.equal((await server.call("GET", "/v1/me", { token })).status, 200);

    await page.getByLabel("Token of a job").fill(await issuer.token({ aud, sub: "repo:acme/shop:ref:refs/heads/a/b" }));
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("It would be refused").waitFor();
    assert.equal(await page.getByRole("list", { name: "Checks" }).getByText("is not right").count(), 1);
    await page.getByLabel("Token of a job").fill(await issuer.token({ aud, sub: SUBJECT }));
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText("It would be accepted").waitFor();
    assert.deepEqual(await ownFaults(tab), []);
    await picture(tab, "open");

    await checkLooks(page.url());
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByLabel(/to confirm/).fill("shop's main branch");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No issuer is trusted yet").waitFor();
    assert.equal((await server.call("GET", "/v1/me", { token })).status, 401);
    const after_ = await ask(clientId, await issuer.token({ aud, sub: SUBJECT }));
    assert.deepEqual([after_.status, after_.error], [401, "invalid_client"]);
    assert.equal(server.stdout().includes("eyJ") || server.stderr().includes("eyJ"), false, "no token is logged");
    await tab.close();
  },
);
