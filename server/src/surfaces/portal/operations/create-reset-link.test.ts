import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { useOperator } from "../testing/operator.ts";
import type { Ada } from "../testing/server.ts";

const operated = useOperator();
let grace: Ada;

before(async () => {
  grace = await operated.server.join(operated.ada, "viewer");
});

beforeEach(() => operated.server.forward(60_000));

test("a reset link is made for one of them, said in both audit logs, and sets the password", async () => {
  const path = `/api/instance/accounts/${grace.id}/reset-link`;
  const { status, json } = await operated.browser.call("POST", path, { clear_second_factor: true });
  assert.equal(status, 201);
  const [, token] = String(json["reset_url"]).split("/reset#");
  assert.ok(Date.parse(String(json["expires_at"])) > operated.server.clock.nowMs());
  const rows = await operated.server.metadata.read
    .selectFrom("audit")
    .select(["org_id", "actor_id"])
    .where("action", "=", "reset_link.create")
    .where("target_id", "=", grace.id)
    .execute();
  assert.deepEqual(new Set(rows.map(({ org_id: org }) => org)), new Set(["", operated.ada.orgId]));
  assert.ok(rows.every(({ actor_id: id }) => id === operated.ada.id));
  const used = await operated.server.browser().call("POST", "/api/reset", { token, password: "another horse battery" });
  assert.equal(used.status, 200, used.text);
});

test("it is for those who run the server, fresh from a proof", async () => {
  const other = await operated.server.signedIn(operated.ada).then(() => operated.server.join(operated.ada, "admin"));
  const browser = await operated.server.signedIn(other);
  const path = `/api/instance/accounts/${grace.id}/reset-link`;
  for (const [method, address, body] of [
    ["GET", "/api/instance/accounts", undefined],
    ["POST", path, {}],
  ] as const) {
    assert.equal((await browser.call(method, address, body)).json["code"], "forbidden");
    assert.equal((await operated.server.browser().call(method, address, body)).status, 401);
  }
  const absent = await operated.browser.call(
    "POST",
    "/api/instance/accounts/user_00000000000000000000000000/reset-link",
    {},
  );
  assert.equal(absent.json["code"], "not_found", absent.text);
  assert.equal((await operated.browser.call("POST", path, { clear: 1 })).json["code"], "invalid_body");
  operated.server.forward(11 * 60_000);
  assert.equal((await operated.browser.call("POST", path, {})).json["code"], "confirmation_required");
});
