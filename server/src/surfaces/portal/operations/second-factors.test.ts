import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { codeOf, setUpApp } from "../testing/authenticator-app.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("beginTotp", () => {
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

  test("returns a secret to type and to scan, which is not active yet", async () => {
    const { status, json, headers } = await browser.call("POST", "/api/account/totp", {});
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    const [secret, label] = [String(json["secret"]), encodeURIComponent(ada.email)];
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const form = "algorithm=SHA1&digits=6&period=30";
    assert.equal(json["uri"], `otpauth://totp/Mooring:${label}?issuer=Mooring&secret=${secret}&${form}`);
    await server.signedIn(ada); // The password is enough.
  });

  test("another request before the confirmation replaces the secret; none is returned after it", async () => {
    const first = await browser.call("POST", "/api/account/totp", {});
    const next = await browser.call("POST", "/api/account/totp", {});
    assert.notEqual(next.json["secret"], first.json["secret"]);
    await setUpApp(server, browser);
    assert.equal((await browser.call("POST", "/api/account/totp", {})).json["code"], "conflict");
  });

  test("secret and codes are not in the records unencrypted, nor in the log", async () => {
    const { secret, recoveryCodes } = await setUpApp(server, browser);
    const rows = JSON.stringify([
      await server.metadata.read.selectFrom("person_totp").selectAll().execute(),
      await server.metadata.read.selectFrom("recovery_code").selectAll().execute(),
      await server.metadata.read.selectFrom("audit").selectAll().execute(),
    ]);
    for (const text of [secret, ...recoveryCodes]) assert.ok(!rows.includes(text) && !server.log().includes(text));
  });
});

describe("confirmTotp", () => {
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

  const confirm = (code: string) => browser.call("POST", "/api/account/totp/confirm", { code });

  test("the first code activates the app, and returns ten recovery codes", async () => {
    const { json } = await browser.call("POST", "/api/account/totp", {});
    assert.equal((await confirm("000000")).json["code"], "sign_in_failed");
    const confirmed = await confirm(codeOf(server, String(json["secret"])));
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.equal((confirmed.json["recovery_codes"] as string[]).length, 10);
    const session = await browser.call("GET", "/api/session");
    assert.equal((session.json["security"] as { has_totp: boolean }).has_totp, true);
  });

  test("without a secret, or with an active app, there is nothing to confirm", async () => {
    assert.equal((await confirm("123456")).json["code"], "conflict");
    await setUpApp(server, browser);
    assert.equal((await confirm("123456")).json["code"], "conflict");
  });
});

describe("deleteTotp", () => {
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

  test("after the deletion the password is enough again, and the recovery codes are deleted", async () => {
    await setUpApp(server, browser);
    assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
    const again = await server.signedIn(ada);
    const { json } = await again.call("GET", "/api/session");
    assert.deepEqual(json["security"], {
      has_password: true,
      has_totp: false,
      passkeys: 0,
      recovery_codes_left: 0,
      has_identity: false,
    });
  });

  test("without an app nothing happens", async () => {
    assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
    const rows = await server.metadata.read
      .selectFrom("audit")
      .select("action")
      .where("org_id", "=", ada.orgId)
      .execute();
    assert.ok(!rows.some(({ action }) => action === "totp.turn_off"));
  });
});

describe("createRecoveryCodes", () => {
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

  test("new codes replace the old ones, and are shown once", async () => {
    const app = await setUpApp(server, browser);
    const made = await browser.call("POST", "/api/account/recovery-codes", {});
    assert.equal(made.status, 200, made.text);
    assert.equal(made.headers.get("cache-control"), "no-store");
    const codes = made.json["recovery_codes"] as string[];
    assert.equal(new Set([...codes, ...app.recoveryCodes]).size, 20);
    for (const [code, status] of [
      [app.recoveryCodes[0], 401],
      [codes[0], 200],
    ] as const) {
      const { json } = await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
      const body = { ticket: json["ticket"], code };
      assert.equal((await server.browser().call("POST", "/api/sign-in/recovery-code", body)).status, status);
    }
  });

  test("without an app there are no codes", async () => {
    assert.equal((await browser.call("POST", "/api/account/recovery-codes", {})).json["code"], "conflict");
  });
});
