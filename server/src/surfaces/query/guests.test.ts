import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newMember } from "../organization/testing/requests.ts";
import { sharedWorld, type World } from "../organization/testing/world.ts";
import { appendLogs, WITH_QUERIES } from "./testing/saved.ts";

let world: World;
before(async () => {
  world = await sharedWorld(WITH_QUERIES);
});
after(() => world.close());

test("a guest sees the rows of their projects by SQL, and no figures of the organization", async () => {
  const { acme } = world;
  await appendLogs(world, [null, acme.open.id, acme.closed.id]);
  const guest = await newMember(world, "guest");
  const owner = world.person(acme, acme.people.owner);
  const token = world.person(acme, guest);
  const ask = (path: string, body: object) => world.call("POST", path, { token, body });
  const sql = "SELECT DISTINCT message FROM logs ORDER BY message";
  assert.equal((await ask("/v1/query", { sql })).status, 403);
  await world.call("PUT", `/v1/projects/closed/members/${guest}`, { token: owner, body: { role: "reader" } });
  assert.deepEqual((await ask("/v1/query", { sql })).json["rows"], [{ message: acme.closed.id }]);
  const seen = await world.call("GET", "/v1/query/schema", { token });
  const tables = seen.json["tables"] as { name: string; figures: unknown }[];
  assert.ok(tables.every(({ figures, name }) => figures === null && name !== "audit_log"));
  const records = await ask("/v1/query", { sql: "SELECT count(*) AS n FROM files WHERE project_id IS NULL" });
  assert.deepEqual(records.json["rows"], [{ n: 0 }]);
});
