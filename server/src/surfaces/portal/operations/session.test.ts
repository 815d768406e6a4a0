import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import {
  changeMember,
  personPrincipal,
  removeMember,
  SYSTEM,
  updateOrganization,
} from "#domain/organizations/index.ts";
import { createPeople, withPeople } from "#domain/people/index.ts";
import { trustedClock } from "#kernel/testing.ts";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask } from "../testing/passkeys.ts";
import { ADDRESSES, PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("getSession", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;

  let server: PortalServer;
  let ada: Ada;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner();
  });

  beforeEach(() => server.forward(60_000));

  after(() => server.close());

  test("returns the person, their memberships, and the state of their account", async () => {
    const browser = await server.signedIn(ada);
    const { json } = await browser.call("GET", "/api/session");
    assert.deepEqual(json["user"], {
      id: ada.id,
      email: ada.email,
      name: "Ada",
      instance_admin: true,
      email_verified: true,
    });
    assert.deepEqual(json["organizations"], [
      {
        id: ada.orgId,
        slug: ada.org,
        name: ada.org,
        role: "owner",
        state: "active",
        state_reason: null,
        deletes_at: null,
        suspended_at: null,
        refused: null,
      },
    ]);
    assert.deepEqual(json["security"], {
      has_password: true,
      has_totp: false,
      passkeys: 0,
      recovery_codes_left: 0,
      has_identity: false,
    });
  });

  test("the first owner of all is the operator; the next one is not", async () => {
    const other = await server.createOwner();
    const { json } = await (await server.signedIn(other)).call("GET", "/api/session");
    assert.equal((json["user"] as { instance_admin: boolean }).instance_admin, false);
  });

  test("without a cookie, with another server's and with an invalid one it is unauthorized", async () => {
    for (const cookie of [undefined, "x", "A".repeat(43)]) {
      const answer = await server.browser(cookie).call("GET", "/api/session");
      assert.equal(answer.status, 401);
      assert.equal(answer.json["code"], "unauthorized");
    }
  });

  test("two session cookies count as none, because one of them is not ours", async () => {
    const { cookie } = await server.signedIn(ada);
    for (const field of [`__Host-mooring=x; __Host-mooring=${cookie}`, `__Host-mooring=${cookie}; __Host-mooring=x`]) {
      const answer = await server.browser().call("GET", "/api/session", undefined, { cookie: field });
      assert.equal(answer.status, 401);
    }
    const among = { cookie: `a=b; __Host-mooring=${cookie}; c=d` };
    assert.equal((await server.browser().call("GET", "/api/session", undefined, among)).status, 200);
  });

  test("a session ends after seven days without use, and after thirty days in any case", async () => {
    const idle = await server.signedIn(ada);
    const used = await server.signedIn(ada);
    server.forward(6.9 * DAY_MS);
    assert.equal((await used.call("GET", "/api/session")).status, 200);
    server.forward(0.2 * DAY_MS);
    assert.equal((await idle.call("GET", "/api/session")).status, 401);
    for (let day = 7; day < 29; day += 5) {
      assert.equal((await used.call("GET", "/api/session")).status, 200, `day ${day}`);
      server.forward(5 * DAY_MS);
    }
    assert.equal((await used.call("GET", "/api/session")).status, 401);
  });

  test("the last use is written at most once a minute", async () => {
    const browser = await server.signedIn(ada);
    const seen = async () =>
      (
        await server.metadata.read
          .selectFrom("person")
          .select("last_seen_at")
          .where("id", "=", ada.id)
          .executeTakeFirst()
      )?.last_seen_at;
    const first = await seen();
    server.forward(59_000);
    await browser.call("GET", "/api/session");
    assert.equal(await seen(), first);
    server.forward(2_000);
    await browser.call("GET", "/api/session");
    assert.ok(Number(await seen()) > Number(first));
  });

  test("sign-in, sign-out and other actions are in the audit log of the organization, without a secret", async () => {
    const browser = await server.signedIn(ada);
    const { cookie = "" } = browser;
    await browser.call("POST", "/api/sign-out");
    const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", ada.orgId).execute();
    const actions = rows
      .filter((row) => row.actor_kind === "person" && row.actor_id === ada.id)
      .map((row) => row.action);
    assert.ok(actions.includes("session.create") && actions.includes("session.sign_out"), actions.join());
    const everything = JSON.stringify(rows) + server.log();
    assert.ok(!everything.includes(cookie) && !everything.includes(PASSWORD));
  });
});

describe("createSessionToken", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;
  let token: string;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
    token = await tokenOf(browser, ada);
  });

  after(() => server.close());

  async function tokenOf(from: Browser, { org }: Ada): Promise<string> {
    const answer = await from.call("POST", "/api/session/token", { organization: org });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.json["expires_in"], 300);
    return String(answer.json["access_token"]);
  }

  const authenticate = (text: string) => server.authenticator.authenticate(text);
  const refused = (text: string) => assert.rejects(authenticate(text), { code: "invalid_token" });

  test("a token has the permissions of the person's roles in that organization", async () => {
    const principal = await authenticate(token);
    assert.ok(principal.kind === "person");
    const { confirmedAtMs = 0, standing, ...rest } = principal;
    assert.deepEqual(standing, { byProvider: false, hasSecondFactor: false }, "signed in with the password only");
    assert.ok(server.clock.nowMs() - confirmedAtMs < 60_000, "the time of the last proof");
    assert.deepEqual(rest, await personPrincipal(server.metadata.read, ada.orgId, ada.id, server.clock.nowMs()));
  });

  test("it expires after five minutes", async () => {
    server.forward(299_000);
    await authenticate(token);
    server.forward(2_000);
    await refused(token);
  });

  test("it ends with its session at once, by sign-out or from another session", async () => {
    await browser.call("POST", "/api/sign-out");
    await refused(token);
    const one = await server.signedIn(ada);
    const its = await tokenOf(one, ada);
    const other = await server.signedIn(ada);
    await other.call("POST", "/api/account/sessions/sign-out-others", {});
    await refused(its);
  });

  test("another node accepts it, and refuses it as soon as the session has ended on this one", async () => {
    const { metadata, clock, identity } = server;
    const node = createPeople({
      metadata,
      clock: trustedClock(clock),
      identity,
      portalUrl: ADDRESSES.portal_url,
      oidc: null,
    });
    const elsewhere = withPeople(node, identity.authenticator);
    assert.equal((await elsewhere.authenticate(token)).id, ada.id);
    await browser.call("POST", "/api/sign-out");
    await assert.rejects(elsewhere.authenticate(token), { code: "invalid_token" });
  });

  test("it stays valid when the session gets another secret", async () => {
    const { cookie } = browser;
    const confirmed = await browser.call("POST", "/api/session/confirm", { password: "correct horse battery" });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.notEqual(browser.cookie, cookie);
    await authenticate(token);
  });

  test("a lower role and a removal count at the next request", async () => {
    const other = await server.join(ada, "admin");
    const theirs = await tokenOf(await server.signedIn(other), other);
    assert.ok((await authenticate(theirs)).scopes.has("org:write"));
    await changeMember(server, SYSTEM, ada.orgId, { userId: other.id, role: "viewer" });
    assert.ok(!(await authenticate(theirs)).scopes.has("org:write"));
    await removeMember(server, SYSTEM, ada.orgId, { userId: other.id, orphans: null });
    await refused(theirs);
  });

  test("the organization's list for people counts at the next request, and a forged header does not help", async () => {
    const bind = (allowed_addresses: string[] | null, allowed_addresses_for: "programs" | "people" | "both") =>
      updateOrganization(server, SYSTEM, ada.orgId, {
        change: { policy: { allowed_addresses, allowed_addresses_for } },
        ifMatch: undefined,
      });
    const from = (ip: string | null) => server.authenticator.authenticate(token, { ip, requestId: null });
    const refusal = async (): Promise<unknown> => {
      const { json } = await browser.call("GET", "/api/session");
      return (json["organizations"] as { refused: string | null }[])[0]?.refused;
    };
    await bind(["192.0.2.0/24"], "programs");
    await from("127.0.0.1");
    assert.equal(await refusal(), null);
    for (const bound of ["people", "both"] as const) {
      await bind(["192.0.2.0/24"], bound);
      await from("192.0.2.7");
      for (const ip of ["127.0.0.1", null]) await assert.rejects(from(ip), { code: "address_not_allowed" });
      const forged = { "x-forwarded-for": "192.0.2.7", forwarded: "for=192.0.2.7", "x-real-ip": "192.0.2.7" };
      const answer = await browser.call("POST", "/api/session/token", { organization: ada.org }, forged);
      assert.deepEqual([answer.status, answer.json["code"]], [403, "address_not_allowed"]);
      assert.equal(await refusal(), "address_not_allowed");
    }
    await bind(null, "both");
    await tokenOf(browser, ada);
  });

  test("another organization is not found, like one that does not exist", async () => {
    const { organization } = await server.createOrganization();
    const headers = { "request-id": "same-request-id" };
    const hidden = await browser.call("POST", "/api/session/token", { organization: organization.slug }, headers);
    const absent = await browser.call("POST", "/api/session/token", { organization: "no-such" }, headers);
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, absent.text);
  });

  test("an altered token, one of another installation and invalid text are refused", async () => {
    const at = token.length - 4;
    const altered = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    const other = await startPortal();
    try {
      const theirs = await tokenOf(await other.signedIn(await other.createOwner()), { ...ada, org: "org-1" });
      for (const bad of [altered, theirs, "mrpt_", "mrpt_AAAA", `mrpt_${"A".repeat(600)}`, `${token}.${token}.x`])
        await refused(bad);
    } finally {
      await other.close();
    }
  });

  test("operations for credentials refuse it", async () => {
    await assert.rejects(server.identity.tokens.verifier.verify(token), { code: "invalid_token" });
    await assert.rejects(server.identity.authenticator.authenticate(token), { code: "invalid_token" });
  });

  test("no public operation accepts a cookie, and no operation for sessions accepts a token", async () => {
    const withToken = await server.api(token, "GET", "/api/session");
    assert.equal(withToken.status, 401);
    assert.equal(withToken.json["code"], "unauthorized");
  });
});

describe("beginConfirmation", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("asks for the passkeys of the signed-in person", async () => {
    const made = new Authenticator();
    await addPasskey(browser, made);
    const { options } = await ask(browser, "/api/session/confirm/options");
    assert.deepEqual(
      (options["allowCredentials"] as { id: string }[]).map(({ id }) => id),
      [made.credentialId],
    );
  });

  test("without a passkey there is nothing to confirm with", async () => {
    assert.equal((await browser.call("POST", "/api/session/confirm/options", {})).json["code"], "conflict");
  });
});

describe("confirmSession", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const dangerous = () => browser.call("PUT", "/api/account/password", { password: PASSWORD });

  test("a sensitive action is refused ten minutes after the last proof, until there is another", async () => {
    server.forward(10 * 60_000 - 5_000);
    assert.equal((await dangerous()).status, 204);
    server.forward(10_000);
    const late = await dangerous();
    assert.equal(late.status, 403);
    assert.equal(late.json["code"], "confirmation_required");
    const { cookie } = browser;
    const confirmed = await browser.call("POST", "/api/session/confirm", { password: PASSWORD });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.equal((await dangerous()).status, 204);
    assert.equal((await server.browser(cookie).call("GET", "/api/session")).status, 401, "the old cookie is void");
  });

  test("a wrong password does not confirm the session, is counted, and ends no session", async () => {
    server.forward(11 * 60_000);
    for (let i = 0; i < 10; i++) {
      const wrong = await browser.call("POST", "/api/session/confirm", { password: "wrong" });
      assert.equal(wrong.json["code"], "sign_in_failed");
    }
    assert.equal((await browser.call("POST", "/api/session/confirm", { password: PASSWORD })).status, 429);
    assert.equal((await dangerous()).json["code"], "confirmation_required");
    assert.equal((await browser.call("GET", "/api/session")).status, 200);
  });

  test("with an authenticator app, its code is asked as well", async () => {
    const begun = await browser.call("POST", "/api/account/totp", {});
    const totp = new TOTP({ secret: Secret.fromBase32(String(begun.json["secret"])) });
    const code = () => totp.generate({ timestamp: server.clock.nowMs() });
    await browser.call("POST", "/api/account/totp/confirm", { code: code() });
    server.forward(11 * 60_000);
    const body = { password: PASSWORD };
    assert.equal((await browser.call("POST", "/api/session/confirm", body)).json["code"], "sign_in_failed");
    assert.equal((await browser.call("POST", "/api/session/confirm", { ...body, code: "000000" })).status, 401);
    assert.equal((await browser.call("POST", "/api/session/confirm", { ...body, code: code() })).status, 200);
  });

  test("a body with neither a password nor a passkey is refused", async () => {
    assert.equal((await browser.call("POST", "/api/session/confirm", { code: "123456" })).json["code"], "invalid_body");
  });
});
