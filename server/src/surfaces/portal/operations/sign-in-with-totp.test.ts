import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setUpApp, type AuthenticatorApp } from "../testing/authenticator-app.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let app: AuthenticatorApp;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000);
  ada = await server.settle();
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

test("the password is followed by a code, which begins the session", async () => {
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

test("a code is good a step early or late, no further, and once", async () => {
  const browser = server.browser();
  assert.equal((await second(browser, await firstStep(browser), app.code(-61_000))).status, 401);
  assert.equal((await second(browser, await firstStep(browser), app.code(61_000))).status, 401);
  assert.equal((await second(browser, await firstStep(browser), app.code(-30_000))).status, 200);
  const used = app.code();
  assert.equal((await second(browser, await firstStep(browser), used)).status, 200);
  assert.equal((await second(browser, await firstStep(browser), used)).status, 401);
  assert.equal((await second(browser, await firstStep(browser), app.code(30_000))).status, 200);
  assert.equal(
    (await second(browser, await firstStep(browser), app.code())).status,
    401,
    "a step before one that was used",
  );
});

test("two requests with one code at once: one of them signs in", async () => {
  const tickets = [await firstStep(server.browser()), await firstStep(server.browser())];
  const answers = await Promise.all(tickets.map((ticket) => second(server.browser(), ticket, app.code())));
  assert.deepEqual(answers.map((answer) => String(answer.status)).toSorted(), ["200", "401"]);
});

test("a ticket takes five tries, five minutes and one success", async () => {
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

test("ten wrong codes are enough: then the next has to wait", async () => {
  const browser = server.browser();
  const statuses = [];
  for (let i = 0; i < 11; i++) {
    const answer = await second(browser, await firstStep(browser), "000000");
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
});
