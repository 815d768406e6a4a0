import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import { useOperator } from "../testing/operator.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

describe("updateAccount", () => {
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

  test("a name is changed for all organizations at once", async () => {
    assert.deepEqual((await browser.call("PATCH", "/api/account", { name: "Lovelace" })).json, { name: "Lovelace" });
    const { json } = await browser.call("GET", "/api/session");
    const { id, name } = json["user"] as { id: string; name: string };
    assert.deepEqual([id, name], [ada.id, "Lovelace"]);
  });

  test("an empty name is refused by pointer", async () => {
    const { json } = await browser.call("PATCH", "/api/account", { name: "" });
    assert.deepEqual(
      (json["errors"] as { pointer: string }[]).map(({ pointer }) => pointer),
      ["/name"],
    );
  });
});

describe("changeEmail", () => {
  const NEXT = "another horse battery";

  let mailbox: Mailbox;
  let server: PortalServer;
  let ada: Ada;
  let grace: Ada;
  let changed = 0;

  before(async () => {
    mailbox = await startMailbox();
    server = await startPortal({ mail: mailbox.mail });
    ada = await server.createOwner();
  });

  beforeEach(async () => {
    server.forward(60_000);
    grace = await server.join(ada, "developer");
  });

  after(async () => {
    await server.close();
    await mailbox.close();
  });

  function change(browser: Browser, email: string): Promise<Answer> {
    return browser.call("PUT", "/api/account/email", { email });
  }

  function signIn(email: string, password = PASSWORD): Promise<Answer> {
    return server.browser().call("POST", "/api/sign-in/password", { email, password });
  }

  test("the new address is used at once but unverified, the old one gets a mail, and the mailed link verifies the new one", async () => {
    const email = `grace-${++changed}@example.com`;
    const browser = await server.signedIn(grace);
    const answer = await change(browser, email.toUpperCase());
    assert.deepEqual(answer.json, { email, verified: false, mail: { failure: null } }, answer.text);
    assert.equal((await signIn(grace.email)).json["code"], "sign_in_failed");
    assert.equal((await signIn(email)).json["status"], "signed_in");
    const told = await mailbox.next(grace.email, /sign-in address was changed/);
    assert.ok(told.includes(email));
    const mailed = await mailbox.next(email, /\/reset#/);
    const token = /\/reset#(mrrl_\w+)/.exec(mailed)?.[1] ?? assert.fail(mailed);
    const opened = await server.browser().call("POST", "/api/reset/open", { token });
    assert.equal(opened.json["first_proof"], true);
    const fresh = server.browser();
    assert.equal((await fresh.call("POST", "/api/reset", { token, password: NEXT })).status, 200);
    const { json } = await fresh.call("GET", "/api/session");
    assert.equal((json["user"] as { email_verified: boolean }).email_verified, true);
    assert.equal((json["notice"] as { password: boolean }).password, true);
    await mailbox.next(email, /Your address is verified/);
    assert.equal((await browser.call("GET", "/api/session")).status, 401, "the session from before the proof");
  });

  test("a personal token works with the new address", async () => {
    const browser = await server.signedIn(grace);
    const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"] };
    const { json } = await browser.call("POST", "/api/account/tokens", body);
    const login = (clientId: string) =>
      server.identity.signIn.authenticate({
        clientId,
        clientSecret: String(json["token"]),
        takesPeople: true,
        ip: "::1",
        requestId: "r",
      });
    await login(grace.email);
    const email = `moved-${++changed}@example.com`;
    await change(browser, email);
    await server.identity.feed.sync();
    assert.equal((await login(email)).person, email);
    await assert.rejects(login(grace.email));
  });

  test("conflict: another person's address, or the current one; one of two concurrent requests for an address succeeds", async () => {
    const browser = await server.signedIn(grace);
    for (const email of [ada.email, grace.email]) assert.equal((await change(browser, email)).json["code"], "conflict");
    const mary = await server.join(ada, "viewer");
    const email = `both-${++changed}@example.com`;
    const answers = await Promise.all([change(browser, email), change(await server.signedIn(mary), email)]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    assert.equal((await change(browser, "no address")).json["code"], "invalid_body");
  });

  test("it requires a recent proof, a session, and the portal's own page; attempts are limited", async () => {
    const browser = await server.signedIn(grace);
    const elsewhere = await browser.call(
      "PUT",
      "/api/account/email",
      { email: "x@example.com" },
      { origin: "https://evil.example" },
    );
    assert.equal(elsewhere.json["code"], "cross_site");
    assert.equal((await change(server.browser(), "x@example.com")).status, 401);
    for (let n = 0; n < 5; n++) await change(browser, ada.email);
    assert.equal((await change(browser, ada.email)).json["code"], "rate_limited");
    server.forward(11 * 60_000);
    assert.equal((await change(browser, "x@example.com")).json["code"], "confirmation_required");
  });
});

describe("changePassword", () => {
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

  test("a new password ends the old one and every other session", async () => {
    const other = await server.signedIn(ada);
    assert.equal((await browser.call("PUT", "/api/account/password", { password: `${PASSWORD}!` })).status, 204);
    assert.equal((await other.call("GET", "/api/session")).status, 401);
    assert.equal((await browser.call("GET", "/api/session")).status, 200);
    for (const [password, status] of [
      [PASSWORD, 401],
      [`${PASSWORD}!`, 200],
    ] as const) {
      const answer = await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password });
      assert.equal(answer.status, status);
    }
  });

  test("a short password is refused, and nothing has changed", async () => {
    assert.equal(
      (await browser.call("PUT", "/api/account/password", { password: "short" })).json["code"],
      "invalid_body",
    );
    await server.signedIn(ada);
  });
});

describe("requestVerification", () => {
  let mailbox: Mailbox;
  let server: PortalServer;
  let ada: Ada;
  let grace: Ada;

  before(async () => {
    mailbox = await startMailbox();
    server = await startPortal({ mail: mailbox.mail });
  });

  beforeEach(async () => {
    server.forward(60_000);
    ada = await server.createOwner();
    grace = await server.join(ada, "developer");
  });

  after(async () => {
    await server.close();
    await mailbox.close();
  });

  test("a link to verify an address is mailed to an unverified account, and refused for a verified one", async () => {
    const browser = await server.signedIn(grace);
    assert.equal((await browser.call("POST", "/api/account/email/verify", {})).status, 204);
    await mailbox.next(grace.email, /\/reset#/);
    const owner = await server.signedIn(ada);
    assert.equal((await owner.call("POST", "/api/account/email/verify", {})).json["code"], "conflict");
    assert.equal((await server.browser().call("POST", "/api/account/email/verify", {})).status, 401);
    for (let n = 0; n < 4; n++) await browser.call("POST", "/api/account/email/verify", {});
    assert.equal((await browser.call("POST", "/api/account/email/verify", {})).json["code"], "rate_limited");
  });

  test("without a mail server the conflict names the operator", async () => {
    const other = await startPortal();
    try {
      const browser = await other.signedIn(await other.join(await other.createOwner(), "viewer"));
      const answer = await browser.call("POST", "/api/account/email/verify", {});
      assert.equal(answer.json["code"], "conflict", answer.text);
    } finally {
      await other.close();
    }
  });
});

describe("dismissNotice", () => {
  const operated = useOperator();
  const ENDED = { password: true, second_factor: false, sessions: 1, passkeys: 0, tokens: 2, identities: 0 };

  test("the list of revoked objects after the first proof is shown until it is dismissed, in that session only", async () => {
    const { server, ada, browser } = operated;
    await server.metadata.write((tx) =>
      tx
        .updateTable("browser_session")
        .set({ ended: JSON.stringify(ENDED) })
        .where("user_id", "=", ada.id)
        .execute(),
    );
    assert.deepEqual((await browser.call("GET", "/api/session")).json["notice"], ENDED);
    const other = await server.signedIn(ada);
    assert.equal((await other.call("GET", "/api/session")).json["notice"], null);
    assert.equal((await browser.call("DELETE", "/api/session/notice")).status, 204);
    assert.equal((await browser.call("GET", "/api/session")).json["notice"], null);
  });

  test("it requires a session, and the portal's own page", async () => {
    assert.equal((await operated.server.browser().call("DELETE", "/api/session/notice")).status, 401);
    const headers = { origin: "https://evil.example" };
    const elsewhere = await operated.browser.call("DELETE", "/api/session/notice", undefined, headers);
    assert.equal(elsewhere.json["code"], "cross_site");
  });
});
