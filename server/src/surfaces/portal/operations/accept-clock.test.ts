import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedClocks } from "../testing/server.ts";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/clock/accept";

const portal = useOperator();

test("the clock is accepted, and the server's own log says by whom", async () => {
  const before = acceptedClocks();
  const answer = await portal.browser.call("POST", PATH, {});
  assert.equal(answer.status, 204, answer.text);
  assert.equal(acceptedClocks(), before + 1);
  const rows = await portal.server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "clock.accept")
    .execute();
  assert.equal(rows.length, 1);
});

test("invalid_body", async () => {
  assert.equal((await portal.browser.call("POST", PATH, { sure: true })).json["code"], "invalid_body");
});
