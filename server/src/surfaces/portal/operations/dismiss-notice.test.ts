import assert from "node:assert/strict";
import { test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const operated = useOperator();
const ENDED = { password: true, second_factor: false, sessions: 1, passkeys: 0, tokens: 2, identities: 0 };

test("what the first proof ended is shown until it is dismissed, in that session only", async () => {
  const { server, ada, browser } = operated;
  await server.metadata.write((tx) =>
    tx
      .updateTable("browser_session")
      .set({ ended: JSON.stringify(ENDED) })
      .where("user_id", "=", ada.id)
      .execute(),
  );
  assert.deepEqual((await browser.call("GET", "/api/session")).json["notice"], ENDED);
  const other = await server.signedIn(ada);
  assert.equal((await other.call("GET", "/api/session")).json["notice"], null);
  assert.equal((await browser.call("DELETE", "/api/session/notice")).status, 204);
  assert.equal((await browser.call("GET", "/api/session")).json["notice"], null);
});

test("it takes a session, and the portal's own page", async () => {
  assert.equal((await operated.server.browser().call("DELETE", "/api/session/notice")).status, 401);
  const headers = { origin: "https://evil.example" };
  const elsewhere = await operated.browser.call("DELETE", "/api/session/notice", undefined, headers);
  assert.equal(elsewhere.json["code"], "cross_site");
});
