import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { beginDeviceLogin, redeemCode, redeemDeviceCode, type LoginTokens } from "#domain/people/index.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

const VERIFIER = "v".repeat(43);
const REDIRECT = "http://127.0.0.1:4711/callback";
const FROM = { ip: "192.0.2.1", requestId: "req_1" };

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  ada = await server.createOwner();
  browser = await server.signedIn(ada);
});

after(() => server.close());

const asked = (change: object = {}) => ({
  client_id: "mooring-cli",
  organization: ada.org,
  name: "laptop",
  redirect_uri: REDIRECT,
  state: "s1",
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "S256",
  ...change,
});

async function made(from = browser): Promise<LoginTokens> {
  const approved = await from.call("POST", "/api/logins", asked());
  assert.equal(approved.status, 200, approved.text);
  const code = new URL(String(approved.json["redirect_to"])).searchParams.get("code") ?? "";
  return redeemCode(server.people, { code, redirectUri: REDIRECT, verifier: VERIFIER }, FROM);
}

interface Login {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
}

const listed = async (from: Browser): Promise<Login[]> =>
  (await from.call("GET", "/api/account/logins")).json["items"] as Login[];

describe("approveLogin", () => {
  test("returns the command's address with a code, the state and the issuer", async () => {
    const approved = await browser.call("POST", "/api/logins", asked());
    const url = new URL(String(approved.json["redirect_to"]));
    assert.equal(url.origin + url.pathname, REDIRECT);
    assert.match(url.searchParams.get("code") ?? "", /^mrac_/);
    assert.deepEqual([url.searchParams.get("state"), url.searchParams.get("iss")], ["s1", server.identity.issuer]);
  });

  test("refuses another client, a plain challenge, another address, and organizations of others", async () => {
    const other = await server.createOwner();
    const refused: [object, string][] = [
      [{ client_id: "other" }, "invalid_body"],
      [{ code_challenge_method: "plain" }, "invalid_body"],
      [{ redirect_uri: "https://evil.example/" }, "invalid_body"],
      [{ name: "a\nb" }, "invalid_body"],
      [{ organization: other.org }, "not_found"],
    ];
    for (const [change, code] of refused)
      assert.equal(
        (await browser.call("POST", "/api/logins", asked(change))).json["code"],
        code,
        JSON.stringify(change),
      );
  });

  test("needs a recent sign-in, and a session", async () => {
    assert.equal((await server.browser().call("POST", "/api/logins", asked())).status, 401);
    server.forward(11 * 60_000);
    assert.equal((await browser.call("POST", "/api/logins", asked())).json["code"], "confirmation_required");
  });
});

describe("a login's acts", () => {
  const create = (token: string) =>
    server.authenticator.authenticate(token, { ip: null, requestId: null }).then((principal) => principal);

  test("have the proof of the session that approved it", async () => {
    const { accessToken } = await made();
    const principal = await create(accessToken);
    assert.ok(principal.kind === "person" && principal.confirmedAtMs !== undefined);
    assert.ok(server.clock.nowMs() - principal.confirmedAtMs < 60_000);
  });

  test("end with the password, as sessions do", async () => {
    const { accessToken } = await made();
    const changed = await browser.call("PUT", "/api/account/password", { password: "another horse battery" });
    assert.equal(changed.status, 204, changed.text);
    await assert.rejects(create(accessToken), { code: "invalid_token" });
  });
});

describe("listLogins", () => {
  test("lists the person's logins, without tokens", async () => {
    const tokens = await made();
    const other = await server.signedIn(await server.join(ada, "viewer"));
    const { text } = await browser.call("GET", "/api/account/logins");
    assert.deepEqual(
      (await listed(browser)).map(({ name, organization }) => [name, organization]),
      [["laptop", ada.org]],
    );
    assert.ok(!text.includes(tokens.accessToken) && !text.includes(tokens.refreshToken));
    assert.deepEqual(await listed(other), []);
  });
});

describe("deleteLogin", () => {
  test("ends the login at once, for its person only", async () => {
    const { accessToken } = await made();
    const [login] = await listed(browser);
    const other = await server.signedIn(await server.join(ada, "owner"));
    const path = `/api/account/logins/${login?.id}`;
    assert.equal((await other.call("DELETE", path)).json["code"], "not_found");
    assert.equal((await browser.call("DELETE", path)).status, 204);
    await assert.rejects(server.authenticator.authenticate(accessToken), { code: "invalid_token" });
    assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
  });
});

const begin = () => beginDeviceLogin(server.people, { name: "box", organization: null }, "198.51.100.7");
const redeem = (deviceCode: string) => redeemDeviceCode(server.people, deviceCode, FROM);

describe("findDeviceLogin", () => {
  test("shows the machine and the address of the code, and slows down guesses", async () => {
    const { userCode } = await begin();
    const found = await browser.call("POST", "/api/logins/device/find", { user_code: userCode });
    assert.deepEqual([found.json["name"], found.json["ip"], found.json["organization"]], ["box", "198.51.100.7", null]);
    const guess = () => browser.call("POST", "/api/logins/device/find", { user_code: "BBBB-BBBB" });
    for (let i = 0; i < 5; i++) assert.equal((await guess()).json["code"], "not_found");
    assert.equal((await guess()).json["code"], "rate_limited");
  });
});

describe("approveDeviceLogin", () => {
  test("gives the machine the person's access, after a recent sign-in", async () => {
    const { userCode, deviceCode } = await begin();
    const body = { user_code: userCode, organization: ada.org };
    server.forward(9 * 60_000);
    assert.equal((await browser.call("POST", "/api/logins/device/approve", body)).status, 204);
    const { accessToken } = await redeem(deviceCode);
    const principal = await server.authenticator.authenticate(accessToken);
    assert.ok(principal.kind === "person");
    assert.deepEqual([principal.id, principal.orgSlug], [ada.id, ada.org]);
    assert.equal((await browser.call("POST", "/api/logins/device/approve", body)).json["code"], "not_found");
    server.forward(2 * 60_000);
    const late = await begin();
    const again = { user_code: late.userCode, organization: ada.org };
    const refused = await browser.call("POST", "/api/logins/device/approve", again);
    assert.equal(refused.json["code"], "confirmation_required");
  });
});

describe("denyDeviceLogin", () => {
  test("refuses the machine", async () => {
    const { userCode, deviceCode } = await begin();
    assert.equal((await browser.call("POST", "/api/logins/device/deny", { user_code: userCode })).status, 204);
    await assert.rejects(redeem(deviceCode), { code: "access_denied" });
    const again = await browser.call("POST", "/api/logins/device/deny", { user_code: userCode });
    assert.equal(again.json["code"], "not_found");
  });
});
