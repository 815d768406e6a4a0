import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(() => server.close());

const dangerous = () => browser.call("PUT", "/api/account/password", { password: PASSWORD });

test("a dangerous act is refused ten minutes after the last proof, until there is another", async () => {
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
  assert.equal(
    (await server.browser(cookie).call("GET", "/api/session")).status,
    401,
    "the cookie before is worth nothing",
  );
});

test("a wrong password proves nothing, is counted, and ends no session", async () => {
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

test("a body that is neither is refused", async () => {
  assert.equal((await browser.call("POST", "/api/session/confirm", { code: "123456" })).json["code"], "invalid_body");
});
