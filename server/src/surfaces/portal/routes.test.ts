import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PORTAL_ROUTES, type Route } from "@mooring/contract";
import { startPortal, type Ada, type PortalServer } from "./testing/server.ts";

/** What every row is asked alike: a row that is added later is asked, too. */

type Row = Pick<Route, "method" | "path" | "permission" | "recentSignIn" | "sameOrigin" | "publicReason" | "body">;

let server: PortalServer;
let owner: Ada;
let member: Ada;

before(async () => {
  server = await startPortal();
  owner = await server.settle(); // the first of all: runs the server
  member = await server.join(owner, "admin");
});

after(() => server.close());

for (const [name, row] of Object.entries(PORTAL_ROUTES as Record<string, Row>)) {
  describe(name, () => {
    const path = row.path.replace(/\{[a-z_]+\}/g, "none");
    const body = row.body === undefined ? undefined : {};
    const isOfSession = row.permission === "session" || row.permission === "instance";

    test("asks for the portal's own origin where it changes anything", async () => {
      if (row.method === "GET") return;
      assert.ok(isOfSession || row.sameOrigin === true, "a public row must say that it is of the portal's pages");
      const browser = await server.signedIn(owner);
      for (const headers of [{ origin: "https://evil.example" }, { origin: "" }, { "sec-fetch-site": "cross-site" }]) {
        const answer = await browser.call(row.method, path, body, headers);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "cross_site");
      }
    });

    if (!isOfSession) {
      test("says why it is public", () => assert.ok(row.publicReason !== undefined));
      return;
    }

    test("is unauthorized without a session, with one that is over, and with a token", async () => {
      const ended = await server.signedIn(owner);
      const { cookie } = ended;
      const token = await ended.call("POST", "/api/session/token", { organization: owner.org });
      await ended.call("POST", "/api/sign-out");
      const authorization = `Bearer ${String(token.json["access_token"])}`;
      for (const answer of [
        await server.browser().call(row.method, path, body),
        await server.browser(cookie).call(row.method, path, body),
        await server.browser().call(row.method, path, body, { authorization }),
      ]) {
        assert.equal(answer.status, 401, answer.text);
        assert.equal(answer.json["code"], "unauthorized");
      }
    });

    if (row.permission === "instance")
      test("is forbidden to who does not run the server", async () => {
        const answer = await (await server.signedIn(member)).call(row.method, path, body);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "forbidden");
      });

    if (row.recentSignIn === true)
      test("asks for a proof that is not older than ten minutes", async () => {
        const browser = await server.signedIn(owner);
        server.forward(11 * 60_000);
        const answer = await browser.call(row.method, path, body);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "confirmation_required");
      });
  });
}
