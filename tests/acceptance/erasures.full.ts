/** Erasures by a condition in SQL: counted first, run by the server, and gone from every answer. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { useServer, type Json } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent, newWebhook } from "../fixtures/webhooks.ts";

const shared = useServer({ settings: { compaction_interval_ms: 200, rate_limit_burst: 10_000 } });
const PATH = "/v1/telemetry/erasures";

interface Preview {
  readonly rows: number;
  readonly is_complete: boolean;
  readonly types: readonly { type: string; rows: number; oldest: string | null; files: number }[];
  readonly backups: readonly unknown[];
}

async function preview(token: string, choice: object): Promise<Preview> {
  const answer = await shared.server.call<Preview>("POST", `${PATH}/preview`, { token, json: choice });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Runs an erasure of as many rows as a preview counts. Returns the number of erased rows. */
async function erase(token: string, choice: object): Promise<number> {
  const { rows: rowsExpected } = await preview(token, choice);
  const json = { ...choice, rows_expected: rowsExpected };
  const made = await shared.server.call<{ id: string }>("POST", PATH, { token, json });
  assert.equal(made.status, 202, made.text);
  const done = await eventually("the erasure is done", async () => {
    const { body } = await shared.server.call<Json>("GET", `${PATH}/${made.body.id}`, { token });
    return body["state"] === "done" ? body : null;
  });
  return Number(done["rows_erased"]);
}

/** Creates an organization. Returns a token with every scope. */
async function organization(org: string): Promise<string> {
  const made = await shared.server.bootstrap({ org, project: "web", app: `${org}-app` });
  return shared.server.token(made.credential);
}

test("a preview counts exactly the rows that the erasure removes, and other organizations keep theirs", async () => {
  const { server } = shared;
  const [token, other] = [await organization("erases"), await organization("keeps")];
  const entries = ["card 4111 1111", "card 4111 2222", "plain"].map((message) => logEntry(message));
  for (const each of [token, other]) await ingested(server, each, "logs", entries);
  const choice = { types: ["logs"], where: "message like '%4111%' and timestamp < now()" };
  const counted = await preview(token, choice);
  assert.deepEqual([counted.rows, counted.is_complete], [2, true]);
  assert.deepEqual(counted.types[0]?.oldest, "2026-11-20T08:00:00Z");
  assert.deepEqual(counted.backups, []);
  assert.equal(await erase(token, choice), 2);
  assert.deepEqual(await rows(server, token, "SELECT message FROM logs"), [{ message: "plain" }]);
  assert.equal((await rows(server, other, "SELECT message FROM logs")).length, 3);
  assert.equal((await preview(token, choice)).rows, 0);
});

test("if more rows match than the caller expects, nothing is erased", async () => {
  const { server } = shared;
  const token = await organization("grows");
  await ingested(
    server,
    token,
    "logs",
    Array.from({ length: 102 }, (_, i) => logEntry(`row ${i}`)),
  );
  const json = { types: ["logs"], where: "true", rows_expected: 100 };
  const refused = await server.call<Json>("POST", PATH, { token, json });
  assert.deepEqual([refused.status, refused.body["code"]], [409, "more_rows_match"]);
  assert.match(String(refused.body["detail"]), /^102 rows match, and 100 were expected/);
  const accepted = await server.call<Json>("POST", PATH, { token, json: { ...json, rows_expected: 101 } });
  assert.equal(accepted.status, 202, accepted.text);
});

test("rows of a private project are erased but not counted, and no error shows their values", async () => {
  const { server } = shared;
  const made = await server.bootstrap({ org: "private", project: "web", app: "private-app" });
  const token = await server.token(made.credential);
  const closed = await server.call<Json>("POST", "/v1/projects", { token, json: { slug: "closed" } });
  assert.equal(closed.status, 201, closed.text);
  const key = await server.call<Json>("POST", "/v1/credentials", {
    token,
    json: { name: "sender", project: "closed", scopes: ["telemetry:write", "telemetry:read"] },
  });
  assert.equal(key.status, 201, key.text);
  const sender = await server.token(key.body as never);
  await ingested(server, sender, "logs", [logEntry("hidden secret")]);
  await ingested(server, token, "logs", [logEntry("1")]);
  const members = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
  const member = `/v1/projects/closed/members/${members.body.items[0]?.user_id}`;
  assert.equal((await server.call("PUT", member, { token, json: { role: "maintainer" } })).status, 200);
  const hide = { visibility: "private" };
  const hidden = await server.call<Json>("PATCH", "/v1/projects/closed", { token, json: hide });
  assert.equal(hidden.status, 200, hidden.text);
  const fails = { types: ["logs"], where: "message::int = 1" };
  const failed = await server.call<Json>("POST", `${PATH}/preview`, { token, json: fails });
  assert.deepEqual([failed.status, failed.body["code"]], [400, "query_failed"], failed.text);
  assert.ok(!failed.text.includes("secret"), failed.text);
  const choice = { types: ["logs"], where: "try_cast(message as int) is null" };
  const counted = await preview(token, choice);
  assert.deepEqual([counted.rows, counted.is_complete], [0, false]);
  assert.equal(await erase(token, choice), 1);
  assert.deepEqual(await rows(server, token, "SELECT message FROM logs"), [{ message: "1" }]);
});

test("events of webhooks are erased by the same language, also from the files that queries read", async () => {
  const { server } = shared;
  const [token, other] = [await organization("hooks"), await organization("other-hooks")];
  for (const each of [token, other]) {
    const { url } = await newWebhook(server, each, { project: "web" });
    for (const name of ["ann", "bob", "ann"])
      await acceptedEvent(url, JSON.stringify({ name, mark: `erased-${name}` }));
  }
  const count = "SELECT json->>'name' AS name FROM webhook_events ORDER BY name";
  assert.equal((await rows(server, token, count)).length, 3);
  assert.equal(await erase(token, { types: ["webhook_events"], where: "json->>'name' = 'ann'" }), 2);
  assert.deepEqual(await rows(server, token, count), [{ name: "bob" }]);
  const files = join(server.dataDir, "telemetry", "records");
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) assert.ok(!(await readFile(join(entry.parentPath, entry.name), "utf8")).includes("erased-ann"));
  assert.equal((await rows(server, other, count)).length, 3);
});
