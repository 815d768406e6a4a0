import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask, confirmWith, ORIGIN, signInWith, type Asked } from "../testing/passkeys.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;
let authenticator: Authenticator;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
  authenticator = new Authenticator();
  assert.equal((await addPasskey(browser, authenticator)).status, 201);
});

after(() => server.close());

const begin = (from: Browser): Promise<Asked> => ask(from, "/api/sign-in/passkey/options");
const signIn = (made: Authenticator, origin?: string) => signInWith(server, made, origin);

test("a passkey signs in by itself, and says when it was used last", async () => {
  const { answer, browser: fresh } = await signIn(authenticator);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json["status"], "signed_in");
  const session = await fresh.call("GET", "/api/session");
  assert.equal((session.json["session"] as { method: string }).method, "passkey");
  const { items } = (await fresh.call("GET", "/api/account/passkeys")).json as { items: { last_used_at: string }[] };
  assert.equal(items.length, 1);
  assert.ok(items[0]?.last_used_at !== null);
});

test("another origin, no verification, a counter that goes back, another's handle: refused alike", async () => {
  const refusals: [string, () => ReturnType<typeof signIn>][] = [
    ["another origin", () => signIn(authenticator, "https://evil.example")],
    ["not verified", () => ((authenticator.userVerified = false), signIn(authenticator))],
    ["the counter", () => ((authenticator.userVerified = true), (authenticator.counter = 0), signIn(authenticator))],
    ["a handle", () => ((authenticator.counter = 9), (authenticator.userHandle = "AAAA"), signIn(authenticator))],
    ["an unknown passkey", () => signIn(new Authenticator())],
  ];
  assert.equal((await signIn(authenticator)).answer.status, 200); // from here on the counter is known
  for (const [what, attempt] of refusals) {
    const { answer } = await attempt();
    assert.equal(answer.status, 401, what);
    assert.equal(answer.json["code"], "sign_in_failed");
  }
});

test("an answer is good for its own ticket, once, for five minutes", async () => {
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

test("rubbish is refused as a failed sign-in", async () => {
  for (const response of [{}, { id: authenticator.credentialId }, { id: authenticator.credentialId, response: {} }]) {
    const { ticket } = await begin(server.browser());
    const answer = await server.browser().call("POST", "/api/sign-in/passkey", { ticket, response });
    assert.equal(answer.json["code"], "sign_in_failed", answer.text);
  }
});

test("a passkey confirms who is signed in, and nobody else", async () => {
  server.forward(11 * 60_000);
  const stranger = await server.settle();
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

test("a password goes on without a second step for those who have passkeys alone", async () => {
  const answer = await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.equal(answer.json["status"], "signed_in");
});
