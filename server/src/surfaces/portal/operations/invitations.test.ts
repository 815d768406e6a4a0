import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { invite, revokeInvitation, SYSTEM } from "#domain/organizations/index.ts";
import { startProvider, type TestProvider } from "../testing/provider.ts";
import { startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

describe("acceptInvitationSignedIn", () => {
  const PATH = "/api/invitation/accept";

  let server: PortalServer;
  let ada: Ada;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner();
  });

  after(() => server.close());

  async function invitation(email: string, org: Ada): Promise<string> {
    return (await invite(server, SYSTEM, org.orgId, { email, role: "developer" })).token;
  }

  test("the person of the session accepts, and is in the audit log", async () => {
    const other = await server.createOwner();
    const browser = await server.signedIn(ada);
    const answer = await browser.call("POST", PATH, { token: await invitation(ada.email, other) });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, {
      organization: { ...(answer.json["organization"] as object), slug: other.org },
      role: "developer",
    });
    const row = await server.metadata.read
      .selectFrom("audit")
      .select(["actor_id", "result"])
      .where("org_id", "=", other.orgId)
      .where("action", "=", "invitation.accept")
      .executeTakeFirstOrThrow();
    assert.deepEqual(row, { actor_id: ada.id, result: "success" });
  });

  test("forbidden for another address, which is in the audit log", async () => {
    const other = await server.createOwner();
    const browser = await server.signedIn(ada);
    const token = await invitation("grace@example.com", other);
    const answer = await browser.call("POST", PATH, { token });
    assert.equal(answer.json["code"], "forbidden", answer.text);
    assert.ok(!answer.text.includes("grace@"));
    const row = await server.metadata.read
      .selectFrom("audit")
      .select("result")
      .where("org_id", "=", other.orgId)
      .where("action", "=", "invitation.accept")
      .executeTakeFirstOrThrow();
    assert.equal(row.result, "denied");
  });

  test("not_found for a used or unknown link, invalid_body", async () => {
    const other = await server.createOwner();
    const browser = await server.signedIn(ada);
    const token = await invitation(ada.email, other);
    assert.equal((await browser.call("POST", PATH, { token })).status, 200);
    for (const bad of [token, "mriv_none"])
      assert.equal((await browser.call("POST", PATH, { token: bad })).json["code"], "not_found");
    assert.equal((await browser.call("POST", PATH, {})).json["code"], "invalid_body");
  });

  test("conflict for a person who became a member after the invitation", async () => {
    const other = await server.createOwner();
    const token = await invitation(ada.email, other);
    const member = { org_id: other.orgId, user_id: ada.id, role: "viewer", created_at: 1 } as const;
    await server.metadata.write((tx) => tx.insertInto("member").values(member).execute());
    const answer = await (await server.signedIn(ada)).call("POST", PATH, { token });
    assert.equal(answer.json["code"], "conflict", answer.text);
  });
});

describe("beginInvitationWithOidc", () => {
  const PATH = "/api/invitation/oidc";

  let provider: TestProvider;
  let server: PortalServer;
  let ada: Ada;
  let invited = 0;

  before(async () => {
    provider = await startProvider();
    server = await startPortal({ oidc: provider.settings });
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
  });

  after(async () => {
    await server.close();
    provider.close();
  });

  async function invitation(email: string): Promise<string> {
    return (await invite(server, SYSTEM, ada.orgId, { email, role: "admin" })).token;
  }

  /** Returns the address of a new person, whom the provider knows. */
  function newcomer(): string {
    const email = `new-${++invited}@example.com`;
    provider.who = { sub: `sub of ${email}`, email, email_verified: true };
    return email;
  }

  function ticketOf(answer: Answer): string {
    return /^__Host-mooring-oidc=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? assert.fail(answer.text);
  }

  async function back(browser: Browser, ticket: string, first: string): Promise<string> {
    const former = browser.cookie === undefined ? "" : `; __Host-mooring=${browser.cookie}`;
    const cookie = `__Host-mooring-oidc=${ticket}${former}`;
    const answer = await browser.call("GET", await provider.through(first), undefined, { cookie });
    return answer.headers.get("location") ?? assert.fail(answer.text);
  }

  async function accept(browser: Browser, body: { token: string; name?: string }): Promise<string> {
    const answer = await browser.call("POST", PATH, body);
    assert.equal(answer.status, 200, answer.text);
    return back(browser, ticketOf(answer), String(answer.json["url"]));
  }

  async function signInAgain(browser: Browser): Promise<void> {
    const begun = await browser.call("GET", "/api/sign-in/oidc?return_to=/account");
    assert.equal(await back(browser, ticketOf(begun), begun.headers.get("location") ?? ""), "/account");
  }

  test("a new person joins without a password, and is signed in", async () => {
    const token = await invitation(newcomer());
    const browser = server.browser();
    assert.equal(await accept(browser, { token, name: "Grace" }), `/o/${ada.org}/-`);
    const { json } = await browser.call("GET", "/api/session");
    assert.equal((json["user"] as { name: string }).name, "Grace");
    assert.deepEqual(json["security"], {
      has_password: false,
      has_totp: false,
      passkeys: 0,
      recovery_codes_left: 0,
      has_identity: true,
    });
    assert.deepEqual(
      (json["organizations"] as { slug: string; role: string }[]).map(({ slug, role }) => [slug, role]),
      [[ada.org, "admin"]],
    );
    assert.ok(!server.log().includes(token));
  });

  test("a sensitive action of a person without a password needs a proof, which another sign-in at the provider gives", async () => {
    const token = await invitation(newcomer());
    const browser = server.browser();
    await accept(browser, { token, name: "Grace" });
    const act = (): Promise<Answer> => browser.call("POST", "/api/account/totp", {});
    server.forward(11 * 60_000);
    const late = await act();
    assert.equal(late.json["code"], "confirmation_required", late.text);
    const begun = await browser.call("GET", "/api/sign-in/oidc?return_to=/account");
    assert.equal(new URL(begun.headers.get("location") ?? "").searchParams.get("prompt"), "login");
    await signInAgain(browser);
    assert.equal((await act()).status, 200);
  });

  test("a person without a password accepts the next invitation at the provider or with their session", async () => {
    const email = newcomer();
    const browser = server.browser();
    await accept(browser, { token: await invitation(email), name: "Grace" });
    const first = ada.org;
    ada = await server.createOwner();
    await accept(browser, { token: await invitation(email) });
    const second = ada.org;
    ada = await server.createOwner();
    const answer = await browser.call("POST", "/api/invitation/accept", { token: await invitation(email) });
    assert.equal(answer.status, 200, answer.text);
    const { json } = await browser.call("GET", "/api/session");
    const slugs = (json["organizations"] as { slug: string }[]).map(({ slug }) => slug);
    assert.deepEqual(slugs.toSorted(), [first, second, ada.org].toSorted());
  });

  test("an invitation is refused for another address, an unverified one, or a used link", async () => {
    const email = newcomer();
    const token = await invitation(email);
    for (const told of [
      { email: "eve@example.com", email_verified: true },
      { email, email_verified: false },
      { email },
      {},
    ]) {
      provider.who = { sub: `eve ${++invited}`, ...told };
      const browser = server.browser();
      assert.equal(await accept(browser, { token, name: "Eve" }), "/invitation?error=oidc_not_invited");
      assert.equal(browser.cookie, undefined);
    }
    provider.who = { sub: `sub of ${email}`, email, email_verified: true };
    await accept(server.browser(), { token, name: "Grace" });
    assert.equal((await server.browser().call("POST", PATH, { token, name: "Eve" })).status, 404);
  });

  test("an invitation that is revoked during the sign-in at the provider makes nobody a member", async () => {
    const email = newcomer();
    const { token, invitation: made } = await invite(server, SYSTEM, ada.orgId, { email, role: "admin" });
    const browser = server.browser();
    const begun = await browser.call("POST", PATH, { token, name: "Grace" });
    await revokeInvitation(server, SYSTEM, ada.orgId, made.id);
    const where = await back(browser, ticketOf(begun), String(begun.json["url"]));
    assert.equal(where, "/invitation?error=oidc_not_invited");
    assert.equal(browser.cookie, undefined);
  });

  test("not_found for unknown links, invalid_body for a new person without a name, rate_limited", async () => {
    const token = await invitation(newcomer());
    const browser = server.browser();
    assert.equal((await browser.call("POST", PATH, { token: "mriv_none" })).status, 404);
    const nameless = await browser.call("POST", PATH, { token });
    assert.equal(nameless.status, 400);
    assert.deepEqual(nameless.json["errors"], [{ pointer: "/name", detail: "is required" }]);
    assert.equal((await browser.call("POST", PATH, {})).json["code"], "invalid_body");
    for (let n = 0; n < 10; n++) await browser.call("POST", PATH, { token: "mriv_none" });
    assert.equal((await browser.call("POST", PATH, { token: "mriv_none" })).json["code"], "rate_limited");
    assert.equal(
      (await browser.call("POST", PATH, { token, name: "Grace" })).status,
      200,
      "a valid link is still accepted",
    );
  });

  test("unavailable while the provider is unavailable; not_found without a provider", async () => {
    const away = { ...provider.settings, issuer: "http://127.0.0.1:1" };
    for (const [options, status] of [
      [{ oidc: away }, 503],
      [{}, 404],
    ] as const) {
      const other = await startPortal(options);
      try {
        const { orgId } = await other.createOwner();
        const { token } = await invite(other, SYSTEM, orgId, { email: "grace@example.com", role: "viewer" });
        const answer = await other.browser().call("POST", PATH, { token, name: "Grace" });
        assert.equal(answer.status, status, answer.text);
      } finally {
        await other.close();
      }
    }
  });

  test("conflict if the browser used another name of this machine than the provider's return address", async () => {
    const other = await startPortal({ oidc: provider.settings, portalUrl: "http://127.0.0.1:8080" });
    try {
      const answer = await other.browser().call("POST", PATH, { token: "mriv_none" });
      assert.equal(answer.json["code"], "conflict", answer.text);
    } finally {
      await other.close();
    }
  });
});
