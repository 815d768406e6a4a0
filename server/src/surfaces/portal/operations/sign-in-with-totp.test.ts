import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let secret: string;
let recoveryCodes: string[];

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000);
  ada = await server.settle();
  const browser = await server.signedIn(ada);
  const begun = await browser.call("POST", "/api/account/totp", {});
  assert.equal(begun.status, 200, begun.text);
  secret = String(begun.json["secret"]);
  assert.equal(
    begun.json["uri"],
    `otpauth://totp/Mooring:${encodeURIComponent(ada.email)}?issuer=Mooring&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  const confirmed = await browser.call("POST", "/api/account/totp/confirm", { code: code() });
  assert.equal(confirmed.status, 200, confirmed.text);
  recoveryCodes = confirmed.json["recovery_codes"] as string[];
  server.forward(60_000); // the code just used is good no more
});

after(() => server.close());

function code(offsetMs = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.clock.nowMs() + offsetMs });
}

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
const byRecovery = (browser: Browser, ticket: string, given: string): Promise<Answer> =>
  browser.call("POST", "/api/sign-in/recovery-code", { ticket, code: given });

test("the password is followed by a code, which begins the session", async () => {
  const browser = server.browser();
  const answer = await second(browser, await firstStep(browser), code());
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json["status"], "signed_in");
  const session = await browser.call("GET", "/api/session");
  assert.equal((session.json["session"] as { method: string }).method, "password_totp");
  assert.deepEqual(session.json["security"], {
    has_password: true,
    has_totp: true,
    passkeys: 0,
    recovery_codes_left: 10,
  });
});

test("a code is good a step early or late, no further, and once", async () => {
  const browser = server.browser();
  assert.equal((await second(browser, await firstStep(browser), code(-61_000))).status, 401);
  assert.equal((await second(browser, await firstStep(browser), code(61_000))).status, 401);
  assert.equal((await second(browser, await firstStep(browser), code(-30_000))).status, 200);
  const used = code();
  assert.equal((await second(browser, await firstStep(browser), used)).status, 200);
  assert.equal((await second(browser, await firstStep(browser), used)).status, 401);
  assert.equal((await second(browser, await firstStep(browser), code(30_000))).status, 200);
  assert.equal(
    (await second(browser, await firstStep(browser), code())).status,
    401,
    "a step before one that was used",
  );
});

test("two requests with one code at once: one of them signs in", async () => {
  const tickets = [await firstStep(server.browser()), await firstStep(server.browser())];
  const answers = await Promise.all(tickets.map((ticket) => second(server.browser(), ticket, code())));
  assert.deepEqual(answers.map((answer) => String(answer.status)).toSorted(), ["200", "401"]);
});

test("a ticket takes five tries, five minutes and one success", async () => {
  const browser = server.browser();
  const tired = await firstStep(browser);
  for (let i = 0; i < 5; i++) assert.equal((await second(browser, tired, "000000")).status, 401);
  assert.equal((await second(browser, tired, code())).status, 401);
  const late = await firstStep(browser);
  server.forward(5 * 60_000);
  assert.equal((await second(browser, late, code())).status, 401);
  const used = await firstStep(browser);
  assert.equal((await second(browser, used, code())).status, 200);
  server.forward(60_000);
  assert.equal((await second(browser, used, code())).status, 401);
  assert.equal((await second(browser, "no such ticket", code())).json["code"], "sign_in_failed");
});

test("ten wrong codes a minute are enough", async () => {
  const browser = server.browser();
  const statuses = [];
  for (let i = 0; i < 11; i++) {
    const answer = await second(browser, i < 5 ? await firstStep(browser) : await firstStep(browser), "000000");
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
});

test("each recovery code stands in once, however it is typed", async () => {
  assert.equal(recoveryCodes.length, 10);
  assert.equal(new Set(recoveryCodes).size, 10);
  const [first = "", next = ""] = recoveryCodes;
  const browser = server.browser();
  assert.equal((await byRecovery(browser, await firstStep(browser), "0000-0000-0000-0000")).status, 401);
  assert.equal((await byRecovery(browser, await firstStep(browser), first)).status, 200);
  assert.equal((await byRecovery(browser, await firstStep(browser), first)).status, 401);
  assert.equal(
    (await byRecovery(browser, await firstStep(browser), next.replaceAll("-", " ").toUpperCase())).status,
    200,
  );
  const session = await browser.call("GET", "/api/session");
  assert.equal((session.json["security"] as { recovery_codes_left: number }).recovery_codes_left, 8);
});

test("new recovery codes end the old ones; without an app there are none", async () => {
  const browser = server.browser();
  await second(browser, await firstStep(browser), code());
  const made = await browser.call("POST", "/api/account/recovery-codes", {});
  assert.equal(made.status, 200, made.text);
  const [old = ""] = recoveryCodes;
  const [fresh = ""] = made.json["recovery_codes"] as string[];
  assert.equal((await byRecovery(browser, await firstStep(browser), old)).status, 401);
  assert.equal((await byRecovery(browser, await firstStep(browser), fresh)).status, 200);
  assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  assert.equal((await browser.call("POST", "/api/account/recovery-codes", {})).json["code"], "conflict");
});

test("turned off, the password is enough again; a secret that was never confirmed does not count", async () => {
  const browser = server.browser();
  await second(browser, await firstStep(browser), code());
  assert.equal((await browser.call("POST", "/api/account/totp", {})).json["code"], "conflict");
  assert.equal((await browser.call("POST", "/api/account/totp/confirm", { code: "123456" })).json["code"], "conflict");
  assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  await server.signedIn(ada);
  assert.equal((await browser.call("POST", "/api/account/totp/confirm", { code: "123456" })).json["code"], "conflict");
  assert.equal((await browser.call("POST", "/api/account/totp", {})).status, 200);
  assert.equal(
    (await browser.call("POST", "/api/account/totp/confirm", { code: "000000" })).json["code"],
    "sign_in_failed",
  );
  await server.signedIn(ada);
});

test("neither secret nor code is in the records as they are, nor in the log", async () => {
  const rows = JSON.stringify([
    await server.metadata.read.selectFrom("person_totp").selectAll().execute(),
    await server.metadata.read.selectFrom("recovery_code").selectAll().execute(),
    await server.metadata.read.selectFrom("audit").selectAll().execute(),
  ]);
  for (const text of [secret, ...recoveryCodes]) assert.ok(!rows.includes(text) && !server.log().includes(text));
});
