import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PORTAL_ROUTES, type Route } from "@mooring/contract";
import { startPortal, type Ada, type PortalServer } from "./testing/server.ts";

/** Requests that are the same for every row, also for rows that are added later. */

type Row = Pick<Route, "method" | "path" | "permission" | "recentSignIn" | "sameOrigin" | "publicReason" | "body">;

let server: PortalServer;
let owner: Ada;
let member: Ada;

before(async () => {
  server = await startPortal();
  owner = await server.createOwner(); // The first person is the operator.
  member = await server.join(owner, "admin");
});

after(() => server.close());

for (const [name, row] of Object.entries(PORTAL_ROUTES as Record<string, Row>)) {
  describe(name, () => {
    const path = row.path.replace(/\{[a-z_]+\}/g, "none");
    const body = row.body === undefined ? undefined : {};
    const isOfSession = row.permission === "session" || row.permission === "instance";

    test("requires the portal's own origin for changes", async () => {
      if (row.method === "GET") return;
      assert.ok(isOfSession || row.sameOrigin === true, "a public row must be for the portal's pages");
      const browser = await server.signedIn(owner);
      for (const headers of [{ origin: "https://evil.example" }, { origin: "" }, { "sec-fetch-site": "cross-site" }]) {
        const answer = await browser.call(row.method, path, body, headers);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "cross_site");
      }
    });

    if (!isOfSession) {
      test("has a reason to be public", () => assert.ok(row.publicReason !== undefined));
      return;
    }

    test("is unauthorized without a session, with an ended one, and with a token", async () => {
      const ended = await server.signedIn(owner);
      const { cookie } = ended;
      const token = await ended.call("POST", "/api/session/token", { organization: owner.org });
      await ended.call("POST", "/api/sign-out");
      const authorization = `Bearer ${String(token.json["access_token"])}`;
      const withToken = await server.browser().call(row.method, path, body, { authorization });
      for (const [answer, code] of [
        [await server.browser().call(row.method, path, body), "unauthorized"],
        [await server.browser(cookie).call(row.method, path, body), "unauthorized"],
        // Operators have tokens, too, and this is not one of them.
        [withToken, row.permission === "instance" ? "invalid_token" : "unauthorized"],
      ] as const) {
        assert.equal(answer.status, 401, answer.text);
        assert.equal(answer.json["code"], code);
      }
    });

    if (row.permission === "instance")
      test("is forbidden to people who are not operators", async () => {
        const answer = await (await server.signedIn(member)).call(row.method, path, body);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "forbidden");
      });

    if (row.recentSignIn === true)
      test("requires a proof within the last ten minutes", async () => {
        const browser = await server.signedIn(owner);
        server.forward(11 * 60_000);
        const answer = await browser.call(row.method, path, body);
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json["code"], "confirmation_required");
      });
  });
}
