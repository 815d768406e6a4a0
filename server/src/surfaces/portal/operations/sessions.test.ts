import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("listSessions", () => {
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

  test("lists the person's sessions, newest first, with their browsers and addresses", async () => {
    const { owner, setupToken } = await server.createOrganization();
    const first = server.browser();
    await first.call("POST", "/api/setup", { token: setupToken, name: "Ada", password: PASSWORD });
    const agent = { "user-agent": "x".repeat(1000) };
    const other = server.browser();
    await other.call("POST", "/api/sign-in/password", { email: owner.email, password: PASSWORD }, agent);
    const { items } = (await first.call("GET", "/api/account/sessions")).json as {
      items: { current: boolean; method: string; user_agent: string }[];
    };
    assert.deepEqual(
      items.map(({ current, method }) => [current, method]),
      [
        [false, "password"],
        [true, "set_up"],
      ],
    );
    assert.equal(items[0]?.user_agent, "x".repeat(256));
  });

  test("ended sessions are not in the list", async () => {
    await browser.call("POST", "/api/sign-out");
    server.forward(8 * 24 * 3_600_000);
    const fresh = await server.signedIn(ada);
    const { items } = (await fresh.call("GET", "/api/account/sessions")).json as { items: object[] };
    assert.equal(items.length, 1);
  });
});

describe("deleteSession", () => {
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

  async function idOf(from: Browser): Promise<string> {
    const { json } = await from.call("GET", "/api/session");
    return (json["session"] as { id: string }).id;
  }

  test("ends another session of the person, once", async () => {
    const other = await server.signedIn(ada);
    const path = `/api/account/sessions/${await idOf(other)}`;
    assert.equal((await browser.call("DELETE", path)).status, 204);
    assert.equal((await other.call("GET", "/api/session")).status, 401);
    assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
  });

  test("ending the current session deletes its cookie", async () => {
    await browser.call("DELETE", `/api/account/sessions/${await idOf(browser)}`);
    assert.equal(browser.cookie, undefined);
  });

  test("other people can't see it", async () => {
    const stranger = await server.signedIn(await server.createOwner());
    const path = `/api/account/sessions/${await idOf(browser)}`;
    assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
    assert.equal((await browser.call("GET", "/api/session")).status, 200);
  });
});

describe("deleteOtherSessions", () => {
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

  test("ends every session except this one, and returns their number", async () => {
    const other = await server.signedIn(ada);
    const stranger = await server.signedIn(await server.createOwner());
    const answer = await browser.call("POST", "/api/account/sessions/sign-out-others", {});
    assert.deepEqual(answer.json, { ended: 1 });
    assert.equal((await other.call("GET", "/api/session")).status, 401);
    for (const from of [browser, stranger]) assert.equal((await from.call("GET", "/api/session")).status, 200);
  });
});
