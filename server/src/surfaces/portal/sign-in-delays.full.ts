/** Delays after failures, and the addresses at which passkeys are offered: slow, because they take many sign-ins and servers. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "./testing/server.ts";

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

describe("failed sign-ins with a password", () => {
  let server: PortalServer;
  let ada: Ada;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner();
  });

  // Old failures are forgotten.
  beforeEach(() => server.forward(15 * 60_000));

  after(() => server.close());

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
});
