import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { setUpApp, type AuthenticatorApp } from "../testing/authenticator-app.ts";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask, confirmWith, ORIGIN, signInWith, type Asked } from "../testing/passkeys.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

/** Reads the sign-in options as a browser that used this host name. */
function asked(url: string, host: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/sign-in`, { headers: { host } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>));
    })
      .on("error", reject)
      .end();
  });
}

test("passkeys are offered if browsers support them at the address", async () => {
  const cases = [
    ["https://portal.example", "portal.example", true, null],
    ["http://portal.example", "portal.example", false, null],
    ["https://192.0.2.1", "192.0.2.1", false, null],
    ["https://[2001:db8::1]:8443", "[2001:db8::1]:8443", false, null],
    ["http://127.0.0.1:8080", "127.0.0.1:8080", false, "http://localhost:8080"],
    ["http://127.0.0.1:8080", "localhost:8080", true, null],
    ["http://localhost:8080", "localhost:8080", true, null],
    ["http://[::1]:8080", "[::1]:8080", false, "http://localhost:8080"],
  ] as const;
  for (const [portalUrl, host, passkeys, passkeyUrl] of cases) {
    const server = await startPortal({ portalUrl });
    try {
      const expected = { passkeys, passkey_url: passkeyUrl, oidc: null, sends_email: false };
      assert.deepEqual(await asked(server.url, host), expected, `${portalUrl} by ${host}`);
    } finally {
      await server.close();
    }
  }
});

test("at a loopback IP address there are no passkeys, and the refusal names the right address", async () => {
  const server = await startPortal({ portalUrl: "http://127.0.0.1:8080" });
  try {
    const browser = await server.signedIn(await server.createOwner());
    for (const path of ["/api/account/passkeys/options", "/api/sign-in/passkey/options"]) {
      const refused = await browser.call("POST", path, {});
      assert.equal(refused.json["code"], "conflict");
      assert.match(refused.text, /http:\/\/localhost:8080/);
    }
    const byName = await browser.call("GET", "/api/session", undefined, { origin: "http://localhost:8080" });
    assert.equal(byName.status, 200);
  } finally {
    await server.close();
  }
});

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

  const signIn = (browser: Browser, password: string, email = ada.email): Promise<Answer> =>
    browser.call("POST", "/api/sign-in/password", { email, password });

  test("after ten failures an account must wait at an address, 30 seconds at most, even with the right password", async () => {
    const browser = server.browser();
    for (let i = 0; i < 10; i++) assert.equal((await signIn(browser, "x")).status, 401);
    const limited = await signIn(browser, PASSWORD);
    assert.equal(limited.status, 429);
    const firstS = Number(limited.headers.get("retry-after"));
    assert.ok(firstS > 0 && firstS <= 5, `it waits for ${firstS} s`);
    for (let i = 0; i < 6; i++) {
      server.forward(30_000);
      assert.equal((await signIn(browser, "x")).status, 401);
      const waitS = Number((await signIn(browser, "x")).headers.get("retry-after"));
      assert.ok(waitS > 0 && waitS <= 30, `it waits for ${waitS} s`);
    }
    server.forward(30_000);
    assert.equal((await signIn(browser, PASSWORD)).status, 200);
  });

  test("failures of other accounts at the address delay nobody's sign-in", async () => {
    const other = await server.createOwner();
    for (let i = 0; i < 31; i++) assert.equal((await signIn(server.browser(), "x", `x${i}@example.com`)).status, 401);
    for (let i = 0; i < 12; i++) await signIn(server.browser(), "x", other.email);
    await server.signedIn(ada);
  });

  test("a browser in which the person signed in before is not delayed by others' failures; other browsers are", async () => {
    const own = await server.signedIn(ada);
    assert.equal((await own.call("POST", "/api/sign-out")).status, 204);
    for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
    assert.equal((await signIn(server.browser(), PASSWORD)).status, 429, "an unknown browser at that address waits");
    assert.equal((await signIn(own, PASSWORD)).status, 200);
    const bob = await server.signedIn(await server.createOwner());
    assert.equal((await signIn(bob, PASSWORD)).status, 429, "another person's browser is unknown for this account");
    for (let i = 0; i < 10; i++) assert.equal((await signIn(own, "x")).status, 401);
    assert.equal((await signIn(own, PASSWORD)).status, 429, "the browser's own failures count");
  });

  test("scripts can't read the device's cookie, and an altered one, or one of another server, counts as none", async () => {
    const answer = await signIn(server.browser(), PASSWORD);
    const line = answer.headers.getSetCookie().find((each) => each.startsWith("__Host-mooring-device=")) ?? "";
    assert.match(line, /^[^;]+; Path=\/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax$/);
    const value = /=([^;]*)/.exec(line)?.[1] ?? "";
    const bytes = Buffer.from(value, "base64url");
    const altered = Buffer.concat([bytes.subarray(0, -1), Buffer.of(0x20)]).toString("base64url");
    const foreign = Buffer.concat([Buffer.alloc(32), bytes.subarray(32)]).toString("base64url");
    for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
    const show = (cookie: string): Promise<Answer> =>
      server.browser().call(
        "POST",
        "/api/sign-in/password",
        { email: ada.email, password: PASSWORD },
        {
          cookie: `__Host-mooring-device=${cookie}`,
        },
      );
    for (const bad of [altered, foreign, "x", "A".repeat(2000), `${value.slice(0, -4)}`])
      assert.equal((await show(bad)).status, 429, bad.slice(0, 20));
    assert.equal((await show(value)).status, 200);
    server.forward(366 * 24 * 60 * 60 * 1000);
    for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
    assert.equal((await show(value)).status, 429, "after a year the cookie counts as none");
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
