import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { startProvider, type TestProvider } from "../testing/provider.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";
import { signInAtProvider, throughProvider } from "../testing/through-provider.ts";

const PATH = "/api/account/identity";

describe("beginIdentityLink", () => {
  let provider: TestProvider;
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    provider = await startProvider();
    server = await startPortal({ oidc: provider.settings });
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(async () => {
    await server.close();
    provider.close();
  });

  async function link(as: string, by: Browser = browser): Promise<string> {
    provider.who = { sub: as };
    const begun = await by.call("POST", PATH, {});
    assert.equal(begun.status, 200, begun.text);
    return throughProvider(provider, by, begun);
  }

  async function identities(): Promise<string[]> {
    const rows = server.metadata.read.selectFrom("external_identity").select("subject").where("user_id", "=", ada.id);
    return (await rows.execute()).map(({ subject }) => subject);
  }

  test("after a recent proof a person links an identity, and another one replaces it", async () => {
    assert.equal(await link(`first of ${ada.org}`), "/account?tab=sign-in");
    assert.equal(await link(`second of ${ada.org}`), "/account?tab=sign-in");
    assert.deepEqual(await identities(), [`second of ${ada.org}`]);
    const session = (await browser.call("GET", "/api/session")).json;
    assert.equal((session["security"] as { has_identity: boolean }).has_identity, true);
    provider.who = { sub: `second of ${ada.org}` };
    assert.equal(await signInAtProvider(provider, server.browser()), "/");
    provider.who = { sub: `first of ${ada.org}` };
    assert.equal(await signInAtProvider(provider, server.browser()), "/sign-in?error=oidc_unknown");
  });

  test("an identity of another account is refused, and so is another person's session or one without a recent proof", async () => {
    const other = await server.createOwner();
    await link(`taken ${ada.org}`, await server.signedIn(other));
    assert.equal(await link(`taken ${ada.org}`), "/account?tab=sign-in&error=oidc_taken");
    provider.who = { sub: `mine ${ada.org}` };
    const begun = await browser.call("POST", PATH, {});
    const stranger = await server.signedIn(other);
    assert.equal(await throughProvider(provider, stranger, begun), "/account?tab=sign-in&error=oidc_not_fresh");
    const again = await browser.call("POST", PATH, {});
    assert.equal(await throughProvider(provider, server.browser(), again), "/account?tab=sign-in&error=oidc_not_fresh");
    assert.deepEqual(await identities(), []);
  });

  test("both need a session and a recent proof; without a provider there is nothing to link", async () => {
    for (const method of ["POST", "DELETE"]) {
      const body = method === "POST" ? {} : undefined;
      assert.equal((await server.browser().call(method, PATH, body)).status, 401);
      const elsewhere = await browser.call(method, PATH, body, { origin: "https://evil.example" });
      assert.equal(elsewhere.json["code"], "cross_site");
    }
    server.forward(11 * 60_000);
    for (const method of ["POST", "DELETE"])
      assert.equal(
        (await browser.call(method, PATH, method === "POST" ? {} : undefined)).json["code"],
        "confirmation_required",
      );
    const plain = await startPortal();
    try {
      const own = await plain.signedIn(await plain.createOwner());
      assert.equal((await own.call("POST", PATH, {})).json["code"], "not_found");
    } finally {
      await plain.close();
    }
  });
});

describe("deleteIdentity", () => {
  let provider: TestProvider;
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    provider = await startProvider();
    server = await startPortal({ oidc: provider.settings });
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(async () => {
    await server.close();
    provider.close();
  });

  async function link(as: string, by: Browser = browser): Promise<string> {
    provider.who = { sub: as };
    const begun = await by.call("POST", PATH, {});
    assert.equal(begun.status, 200, begun.text);
    return throughProvider(provider, by, begun);
  }

  test("the last way to sign in can't be unlinked, and an identity that is not linked is not found", async () => {
    await link(`gone ${ada.org}`);
    assert.equal((await browser.call("DELETE", PATH)).status, 204);
    assert.equal((await browser.call("DELETE", PATH)).json["code"], "not_found");
    await link(`last ${ada.org}`);
    await server.metadata.write((tx) =>
      tx.updateTable("person").set({ password_hash: null }).where("id", "=", ada.id).execute(),
    );
    assert.equal((await browser.call("DELETE", PATH)).json["code"], "conflict");
  });

  test("it requires a session and a recent proof", async () => {
    assert.equal((await server.browser().call("DELETE", PATH)).status, 401);
    server.forward(11 * 60_000);
    assert.equal((await browser.call("DELETE", PATH)).json["code"], "confirmation_required");
  });
});
