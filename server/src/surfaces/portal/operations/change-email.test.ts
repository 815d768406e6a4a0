import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

const NEXT = "another horse battery";

let mailbox: Mailbox;
let server: PortalServer;
let ada: Ada;
let grace: Ada;
let changed = 0;

before(async () => {
  mailbox = await startMailbox();
  server = await startPortal({ mail: mailbox.mail });
  ada = await server.settle();
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

test("the new address counts at once and is unverified, the old one is told, and the mailed link proves the new one", async () => {
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
  await mailbox.next(email, /Your address is proved/);
  assert.equal((await browser.call("GET", "/api/session")).status, 401, "the session of before the proof");
});

test("a personal token goes on with the new address", async () => {
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

test("conflict: somebody's address, one's own; nobody else's name is taken when two ask at once", async () => {
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

test("it takes a fresh sign-in, a session, and the portal's own page; tries are limited", async () => {
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
