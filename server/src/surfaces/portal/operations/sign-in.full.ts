import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setUpApp, type AuthenticatorApp } from "../testing/authenticator-app.ts";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask, confirmWith, ORIGIN, signInWith, type Asked } from "../testing/passkeys.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

describe("signInWithPassword", () => {
  let server: PortalServer;
  let ada: Ada;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner();
  });

  beforeEach(() => server.forward(15 * 60_000));

  // Old failures are forgotten.
  after(() => server.close());

  test("a password begins a session, whose cookie scripts can't read", async () => {
    const browser = server.browser();
    const answer = await browser.call("POST", "/api/sign-in/password", {
      email: ada.email.toUpperCase(),
      password: PASSWORD,
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { status: "signed_in", ticket: null, methods: [] });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const [cookie = ""] = answer.headers.getSetCookie();
    assert.match(
      cookie,
      /^__Host-mooring=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
    );
    const session = await browser.call("GET", "/api/session");
    assert.equal(session.status, 200, session.text);
    assert.equal((session.json["user"] as { email: string }).email, ada.email);
    assert.equal((session.json["session"] as { method: string }).method, "password");
  });

  test("another sign-in returns another secret and ends the previous session", async () => {
    const browser = await server.signedIn(ada);
    const before = browser.cookie;
    await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
    assert.notEqual(browser.cookie, before);
    const stolen = server.browser(before);
    assert.equal((await stolen.call("GET", "/api/session")).status, 401);
  });

  test("an unknown address, a wrong password and an account without one get the same answer, byte for byte", async () => {
    const { owner } = await server.createOrganization();
    const headers = { "request-id": "same-request-id" };
    const bodies = [
      { email: "nobody@example.com", password: PASSWORD },
      { email: ada.email, password: "wrong" },
      { email: owner.email, password: PASSWORD },
    ];
    const texts = new Set<string>();
    for (const body of bodies) {
      const answer = await server.browser().call("POST", "/api/sign-in/password", body, headers);
      assert.equal(answer.status, 401);
      assert.equal(answer.json["code"], "sign_in_failed");
      assert.equal(answer.headers.get("www-authenticate"), null);
      assert.equal(answer.headers.get("set-cookie"), null);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1);
  });

  test("a request of another site is refused with any content", async () => {
    const body = { email: ada.email, password: PASSWORD };
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const answer = await server.browser().call("POST", "/api/sign-in/password", body, headers);
      assert.equal(answer.status, 403, answer.text);
      assert.equal(answer.json["code"], "cross_site");
    }
  });

  test("a refusal is in the audit log of the person's organization, without the attempted password", async () => {
    await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password: "not the password" });
    server.forward(60_000);
    await server.flushRefusals();
    const rows = await server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "session.refuse")
      .execute();
    const own = rows.filter((row) => row.org_id === ada.orgId && row.target_id === ada.id);
    assert.ok(own.length > 0);
    assert.ok(!JSON.stringify(rows).includes("not the password"));
  });

  test("a request without address or password is refused by pointer", async () => {
    const answer = await server.browser().call("POST", "/api/sign-in/password", { email: "no address" });
    assert.equal(answer.json["code"], "invalid_body");
  });
});

describe("signInWithTotp", () => {
  let server: PortalServer;
  let ada: Ada;
  let app: AuthenticatorApp;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000);
    ada = await server.createOwner();
    app = await setUpApp(server, await server.signedIn(ada));
  });

  after(() => server.close());

  async function firstStep(browser: Browser): Promise<string> {
    const answer = await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json["status"], "second_factor");
    assert.equal(answer.headers.get("set-cookie"), null);
    assert.deepEqual(answer.json["methods"], ["totp", "recovery_code"]);
    return String(answer.json["ticket"]);
  }

  const second = (browser: Browser, ticket: string, given: string): Promise<Answer> =>
    browser.call("POST", "/api/sign-in/totp", { ticket, code: given });

  test("a code follows the password, and begins the session", async () => {
    const browser = server.browser();
    const answer = await second(browser, await firstStep(browser), app.code());
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json["status"], "signed_in");
    const session = await browser.call("GET", "/api/session");
    assert.equal((session.json["session"] as { method: string }).method, "password_totp");
    assert.deepEqual(session.json["security"], {
      has_password: true,
      has_totp: true,
      passkeys: 0,
      recovery_codes_left: 10,
      has_identity: false,
    });
  });

  test("a code is valid one step early or late, no further, and once", async () => {
    const browser = server.browser();
    assert.equal((await second(browser, await firstStep(browser), app.code(-61_000))).status, 401);
    assert.equal((await second(browser, await firstStep(browser), app.code(61_000))).status, 401);
    assert.equal((await second(browser, await firstStep(browser), app.code(-30_000))).status, 200);
    const used = app.code();
    assert.equal((await second(browser, await firstStep(browser), used)).status, 200);
    assert.equal((await second(browser, await firstStep(browser), used)).status, 401);
    assert.equal((await second(browser, await firstStep(browser), app.code(30_000))).status, 200);
    assert.equal((await second(browser, await firstStep(browser), app.code())).status, 401, "a step before a used one");
  });

  test("one of two concurrent requests with one code signs in", async () => {
    const tickets = [await firstStep(server.browser()), await firstStep(server.browser())];
    const answers = await Promise.all(tickets.map((ticket) => second(server.browser(), ticket, app.code())));
    assert.deepEqual(answers.map((answer) => String(answer.status)).toSorted(), ["200", "401"]);
  });

  test("a ticket allows five attempts, five minutes and one success", async () => {
    const browser = server.browser();
    const tired = await firstStep(browser);
    for (let i = 0; i < 5; i++) assert.equal((await second(browser, tired, "000000")).status, 401);
    assert.equal((await second(browser, tired, app.code())).status, 401);
    const late = await firstStep(browser);
    server.forward(5 * 60_000);
    assert.equal((await second(browser, late, app.code())).status, 401);
    const used = await firstStep(browser);
    assert.equal((await second(browser, used, app.code())).status, 200);
    server.forward(60_000);
    assert.equal((await second(browser, used, app.code())).status, 401);
    assert.equal((await second(browser, "no such ticket", app.code())).json["code"], "sign_in_failed");
  });

  test("after ten wrong codes the next one must wait", async () => {
    const browser = server.browser();
    const statuses = [];
    for (let i = 0; i < 11; i++) {
      const answer = await second(browser, await firstStep(browser), "000000");
      statuses.push(answer.status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
  });
});

describe("signInWithRecoveryCode", () => {
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

  async function firstStep(from: Browser): Promise<string> {
    const answer = await from.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
    assert.equal(answer.json["status"], "second_factor", answer.text);
    return String(answer.json["ticket"]);
  }

  const signIn = async (code: string): Promise<Answer> => {
    const from = server.browser();
    return from.call("POST", "/api/sign-in/recovery-code", { ticket: await firstStep(from), code });
  };

  test("each of ten codes replaces the app once, with any spaces and case", async () => {
    const { recoveryCodes } = await setUpApp(server, browser);
    assert.equal(new Set(recoveryCodes).size, 10);
    const [first = "", next = ""] = recoveryCodes;
    assert.equal((await signIn("0000-0000-0000-0000")).json["code"], "sign_in_failed");
    assert.equal((await signIn(first)).json["status"], "signed_in");
    assert.equal((await signIn(first)).json["code"], "sign_in_failed");
    assert.equal((await signIn(next.replaceAll("-", " ").toUpperCase())).json["status"], "signed_in");
    const session = await browser.call("GET", "/api/session");
    assert.equal((session.json["security"] as { recovery_codes_left: number }).recovery_codes_left, 8);
  });

  test("another person's code is refused", async () => {
    const stranger = await server.createOwner();
    const theirs = await setUpApp(server, await server.signedIn(stranger));
    await setUpApp(server, browser);
    assert.equal((await signIn(theirs.recoveryCodes[0] ?? "")).json["code"], "sign_in_failed");
  });

  test("after ten wrong codes the next one must wait", async () => {
    const { recoveryCodes } = await setUpApp(server, browser);
    for (let i = 0; i < 10; i++) assert.equal((await signIn("0000-0000-0000-0000")).status, 401);
    assert.equal((await signIn(recoveryCodes[0] ?? "")).status, 429);
  });
});

describe("beginPasskeySignIn", () => {
  let server: PortalServer;

  before(async () => {
    server = await startPortal();
  });

  after(() => server.close());

  test("asks for any passkey of this host, with user verification", async () => {
    const { options } = await ask(server.browser(), "/api/sign-in/passkey/options");
    assert.equal(options["rpId"], "portal.example");
    assert.equal(options["userVerification"], "required");
    assert.deepEqual(options["allowCredentials"] ?? [], []);
  });

  test("an address may begin sixty sign-ins at once and must then wait, but a known browser needs no wait", async () => {
    const known = await server.signedIn(await server.createOwner());
    let begun = 0;
    let status = 200;
    for (; status === 200 && begun < 200; begun++)
      ({ status } = await server.browser().call("POST", "/api/sign-in/passkey/options", {}));
    assert.equal(status, 429);
    assert.equal((await known.call("POST", "/api/sign-in/passkey/options", {})).status, 200);
    assert.ok(begun >= 60, "one attempt a second may come back meanwhile");
  });
});

describe("signInWithPasskey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;
  let authenticator: Authenticator;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000);
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
    authenticator = new Authenticator();
    assert.equal((await addPasskey(browser, authenticator)).status, 201);
  });

  after(() => server.close());

  const begin = (from: Browser): Promise<Asked> => ask(from, "/api/sign-in/passkey/options");
  const signIn = (made: Authenticator, origin?: string) => signInWith(server, made, origin);

  test("a passkey is enough to sign in, and shows its last use", async () => {
    const { answer, browser: fresh } = await signIn(authenticator);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json["status"], "signed_in");
    const session = await fresh.call("GET", "/api/session");
    assert.equal((session.json["session"] as { method: string }).method, "passkey");
    const { items } = (await fresh.call("GET", "/api/account/passkeys")).json as { items: { last_used_at: string }[] };
    assert.equal(items.length, 1);
    assert.ok(items[0]?.last_used_at !== null);
  });

  test("another origin, no verification, a lower counter, or another person's handle get the same refusal", async () => {
    const refusals: [string, () => ReturnType<typeof signIn>][] = [
      ["another origin", () => signIn(authenticator, "https://evil.example")],
      ["not verified", () => ((authenticator.userVerified = false), signIn(authenticator))],
      ["the counter", () => ((authenticator.userVerified = true), (authenticator.counter = 0), signIn(authenticator))],
      ["a handle", () => ((authenticator.counter = 9), (authenticator.userHandle = "AAAA"), signIn(authenticator))],
      ["an unknown passkey", () => signIn(new Authenticator())],
    ];
    assert.equal((await signIn(authenticator)).answer.status, 200); // The counter is known from here on.
    for (const [what, attempt] of refusals) {
      const { answer } = await attempt();
      assert.equal(answer.status, 401, what);
      assert.equal(answer.json["code"], "sign_in_failed");
    }
  });

  test("an answer is valid for its own ticket, once, for five minutes", async () => {
    const fresh = server.browser();
    const [one, other] = [await begin(fresh), await begin(fresh)];
    const mixed = { ticket: one.ticket, response: authenticator.get(other.options, ORIGIN) };
    assert.equal((await fresh.call("POST", "/api/sign-in/passkey", mixed)).status, 401);
    const right = { ticket: one.ticket, response: authenticator.get(one.options, ORIGIN) };
    assert.equal((await fresh.call("POST", "/api/sign-in/passkey", right)).status, 200);
    assert.equal((await fresh.call("POST", "/api/sign-in/passkey", right)).status, 401);
    server.forward(5 * 60_000);
    const late = { ticket: other.ticket, response: authenticator.get(other.options, ORIGIN) };
    assert.equal((await fresh.call("POST", "/api/sign-in/passkey", late)).status, 401);
  });

  test("invalid input is refused as a failed sign-in", async () => {
    for (const response of [{}, { id: authenticator.credentialId }, { id: authenticator.credentialId, response: {} }]) {
      const { ticket } = await begin(server.browser());
      const answer = await server.browser().call("POST", "/api/sign-in/passkey", { ticket, response });
      assert.equal(answer.json["code"], "sign_in_failed", answer.text);
    }
  });

  test("a passkey confirms the signed-in person, and nobody else", async () => {
    server.forward(11 * 60_000);
    const stranger = await server.createOwner();
    const theirs = new Authenticator();
    await addPasskey(await server.signedIn(stranger), theirs);
    assert.equal((await confirmWith(browser, theirs)).json["code"], "sign_in_failed");
    assert.equal((await browser.call("DELETE", "/api/account/totp")).json["code"], "confirmation_required");
    assert.equal((await confirmWith(browser, authenticator)).status, 200);
    assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  });

  test("a ticket of a sign-in confirms nothing, and one of a confirmation signs nobody in", async () => {
    const signing = await begin(browser);
    const asConfirmation = { ticket: signing.ticket, response: authenticator.get(signing.options, ORIGIN) };
    assert.equal((await browser.call("POST", "/api/session/confirm", asConfirmation)).status, 401);
    const begun = await browser.call("POST", "/api/session/confirm/options", {});
    const { ticket, options } = begun.json as { ticket: string; options: object };
    const asSignIn = { ticket, response: authenticator.get(options, ORIGIN) };
    assert.equal((await server.browser().call("POST", "/api/sign-in/passkey", asSignIn)).status, 401);
  });

  test("people with passkeys but no app sign in with the password only", async () => {
    const answer = await server
      .browser()
      .call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
    assert.equal(answer.json["status"], "signed_in");
  });
});

describe("signOut", () => {
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

  test("ends the session on the server, and deletes the cookie", async () => {
    const { cookie } = browser;
    const answer = await browser.call("POST", "/api/sign-out");
    assert.equal(answer.status, 204, answer.text);
    assert.match(answer.headers.get("set-cookie") ?? "", /^__Host-mooring=; Path=\/; Max-Age=0;/);
    assert.equal((await server.browser(cookie).call("GET", "/api/session")).status, 401);
  });

  test("keeps the person's other sessions", async () => {
    const other = await server.signedIn(ada);
    await browser.call("POST", "/api/sign-out");
    assert.equal((await other.call("GET", "/api/session")).status, 200);
  });
});
