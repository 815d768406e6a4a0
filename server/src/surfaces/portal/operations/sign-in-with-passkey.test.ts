import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Authenticator } from "../testing/authenticator.ts";
import {
  ADDRESSES,
  PASSWORD,
  startPortal,
  type Ada,
  type Answer,
  type Browser,
  type PortalServer,
} from "../testing/server.ts";

const ORIGIN = ADDRESSES.portal_url;

let server: PortalServer;
let ada: Ada;
let browser: Browser;
let authenticator: Authenticator;
let passkeyId: string;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
  authenticator = new Authenticator();
  const added = await add(browser, authenticator);
  assert.equal(added.status, 201, added.text);
  passkeyId = String(added.json["id"]);
});

after(() => server.close());

async function add(from: Browser, made: Authenticator, origin = ORIGIN): Promise<Answer> {
  const begun = await from.call("POST", "/api/account/passkeys/options", {});
  assert.equal(begun.status, 200, begun.text);
  const { ticket, options } = begun.json as { ticket: string; options: object };
  return from.call("POST", "/api/account/passkeys", { ticket, name: "Key", response: made.create(options, origin) });
}

async function begin(from: Browser): Promise<{ ticket: string; options: object }> {
  const begun = await from.call("POST", "/api/sign-in/passkey/options", {});
  assert.equal(begun.status, 200, begun.text);
  return begun.json as { ticket: string; options: object };
}

async function signIn(made: Authenticator, origin = ORIGIN): Promise<{ answer: Answer; browser: Browser }> {
  const fresh = server.browser();
  const { ticket, options } = await begin(fresh);
  const answer = await fresh.call("POST", "/api/sign-in/passkey", { ticket, response: made.get(options, origin) });
  return { answer, browser: fresh };
}

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

test("what the browser is asked holds what makes it a passkey: kept there, and opened by its person", async () => {
  const { options } = (await browser.call("POST", "/api/account/passkeys/options", {})).json as {
    options: Record<string, Record<string, unknown>>;
  };
  assert.equal(options["rp"]?.["id"], "portal.example");
  assert.equal(options["authenticatorSelection"]?.["residentKey"], "required");
  assert.equal(options["authenticatorSelection"]?.["userVerification"], "required");
  const known = options["excludeCredentials"] as unknown as { id: string }[];
  assert.deepEqual(
    known.map(({ id }) => id),
    [authenticator.credentialId],
  );
});

test("another origin, no verification, a counter that goes back, another's handle: refused alike", async () => {
  const refusals: [string, () => Promise<{ answer: Answer }>][] = [
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
  const confirm = async (made: Authenticator): Promise<Answer> => {
    const begun = await browser.call("POST", "/api/session/confirm/options", {});
    const { ticket, options } = begun.json as { ticket: string; options: object };
    return browser.call("POST", "/api/session/confirm", { ticket, response: made.get(options, ORIGIN) });
  };
  const stranger = await server.settle();
  const theirs = new Authenticator();
  await add(await server.signedIn(stranger), theirs);
  assert.equal((await confirm(theirs)).json["code"], "sign_in_failed");
  assert.equal((await browser.call("DELETE", "/api/account/totp")).json["code"], "confirmation_required");
  assert.equal((await confirm(authenticator)).status, 200);
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

test("without a passkey there is nothing to confirm by", async () => {
  const other = await server.signedIn(await server.settle());
  assert.equal((await other.call("POST", "/api/session/confirm/options", {})).json["code"], "conflict");
});

test("a passkey is added once, for the person who asked, from the portal's own origin", async () => {
  const again = await add(browser, authenticator);
  assert.equal(again.json["code"], "conflict", again.text);
  assert.equal((await add(browser, new Authenticator(), "https://evil.example")).json["code"], "invalid_body");
  const begun = await browser.call("POST", "/api/account/passkeys/options", {});
  const { ticket, options } = begun.json as { ticket: string; options: object };
  const other = await server.signedIn(await server.settle());
  const body = { ticket, name: "Key", response: new Authenticator().create(options, ORIGIN) };
  assert.equal((await other.call("POST", "/api/account/passkeys", body)).json["code"], "conflict");
});

test("a passkey is renamed and removed by its person alone; the last way in stays", async () => {
  const path = `/api/account/passkeys/${passkeyId}`;
  const other = await server.signedIn(await server.settle());
  for (const method of ["PATCH", "DELETE"]) {
    const body = method === "PATCH" ? { name: "Mine" } : undefined;
    assert.equal((await other.call(method, path, body)).json["code"], "not_found");
  }
  assert.equal((await browser.call("PATCH", path, { name: "Blue" })).json["name"], "Blue");
  const change = server.metadata.write((tx) =>
    tx.updateTable("person").set({ password_hash: null }).where("id", "=", ada.id).execute(),
  );
  await change;
  assert.equal((await browser.call("DELETE", path)).json["code"], "conflict");
  await add(browser, new Authenticator());
  assert.equal((await browser.call("DELETE", path)).status, 204);
  assert.equal((await signIn(authenticator)).answer.status, 401);
});

test("a password goes on without a second step for those who have passkeys alone", async () => {
  const answer = await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.equal(answer.json["status"], "signed_in");
});
