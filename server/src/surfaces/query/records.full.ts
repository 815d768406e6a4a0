import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SCOPES } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { exactJson } from "#kernel/json-text.ts";
import { systemClock } from "#kernel/time.ts";
import { boundToken, fresh } from "../organization/testing/requests.ts";
import { assertProblem } from "../organization/testing/suite.ts";
import { sharedWorld, type Answer, type World } from "../organization/testing/world.ts";
import { appendLogs, save, WITH_QUERIES } from "./testing/saved.ts";

/** Statements that read the table in different ways. */
const READING = [
  "SELECT * FROM audit_log",
  'SELECT * FROM "AUDIT_LOG"',
  "SELECT * FROM main.audit_log",
  "FROM audit_log",
  "SELECT a.id FROM audit_log AS a",
  "WITH logs AS (SELECT * FROM audit_log) SELECT * FROM logs",
  "WITH x AS (SELECT * FROM audit_log), y AS (FROM x) SELECT count(*) FROM y",
  "SELECT (SELECT max(id) FROM audit_log)",
  "SELECT 1 WHERE EXISTS (SELECT 1 FROM audit_log)",
  "SELECT l.message FROM logs l LEFT JOIN audit_log a ON a.id = l.message",
  "SELECT 'x' AS id UNION ALL SELECT id FROM audit_log",
  "DESCRIBE audit_log",
  "SUMMARIZE audit_log",
  "SUMMARIZE SELECT * FROM audit_log",
  "PIVOT audit_log ON result IN ('success') USING count(*)",
  "SELECT * FROM audit_log WHERE false",
  "SELECT * FROM audit_log LIMIT 0",
];

describe("audit_log", { concurrency: 1 }, () => {
  let world: World;
  let token: string;

  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
    token = await world.token();
    await appendLogs(world, [null]);
  });
  after(() => world.close());

  function ask(sql: string, as = token, more: object = {}): Promise<Answer> {
    return world.call("POST", "/v1/query", { token: as, body: { sql, ...more } });
  }

  async function rows(sql: string, as = token, more: object = {}): Promise<Record<string, unknown>[]> {
    const answer = await ask(sql, as, more);
    assert.equal(answer.status, 200, answer.text);
    return answer.json["rows"] as Record<string, unknown>[];
  }

  const withoutScope = (): Promise<string> => world.token({ scopes: SCOPES.filter((scope) => scope !== "audit:read") });

  test("has the entries of GET /v1/audit, one by one", async () => {
    const listed = await world.call("GET", "/v1/audit?limit=100", { token });
    const items = listed.json["items"] as Record<string, unknown>[];
    const read = await rows("SELECT * FROM audit_log ORDER BY id DESC LIMIT 100");
    const flat = items.map((item) => {
      const { id, at, action, result, ip, request_id, detail } = item;
      const [actor, target] = [item["actor"], item["target"]] as { kind: string; id: string | null }[];
      return {
        timestamp: String(at).replace(".000Z", "Z"),
        id,
        action,
        actor_kind: actor?.kind,
        actor_id: actor?.id,
        target_kind: target?.kind ?? null,
        target_id: target?.id ?? null,
        result,
        ip,
        request_id,
        detail,
      };
    });
    assert.ok(flat.length > 5);
    assert.deepEqual(
      read.toSorted((a, b) => String(a["id"]).localeCompare(String(b["id"]))),
      flat.toSorted((a, b) => String(a.id).localeCompare(String(b.id))),
    );
  });

  test("an action that was answered before the query is in it, once", async () => {
    for (let i = 0; i < 12; i++) {
      const slug = fresh("audited");
      const made = await world.call("POST", "/v1/projects", { token, body: { slug } });
      assert.equal(made.status, 201, made.text);
      const sql = "SELECT action, target_id FROM audit_log WHERE target_id = $id";
      assert.deepEqual(await rows(sql, token, { parameters: { id: made.json["id"] } }), [
        { action: "project.create", target_id: made.json["id"] },
      ]);
    }
    assert.deepEqual(await rows("SELECT count(*) - count(DISTINCT id) AS doubled FROM audit_log"), [{ doubled: 0 }]);
  });

  test("times limit it as they limit the other tables", async () => {
    const all = await rows("SELECT count(*) AS n FROM audit_log", token, { from: "2020-01-01T00:00:00Z" });
    assert.notDeepEqual(all, [{ n: 0 }]);
    const none = { from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" };
    assert.deepEqual(await rows("SELECT count(*) AS n FROM audit_log", token, none), [{ n: 0 }]);
    assert.deepEqual(await rows("SELECT count(*) AS n FROM audit_log WHERE timestamp < '2020-01-01'"), [{ n: 0 }]);
  });

  test("each organization has its own table", async () => {
    const rival = await world.token({ tenant: world.rival });
    const ours = (await rows("SELECT id FROM audit_log")).map(({ id }) => id);
    const theirs = (await rows("SELECT id FROM audit_log", rival)).map(({ id }) => id);
    assert.ok(ours.length > 0 && theirs.length > 0);
    assert.deepEqual(
      ours.filter((id) => theirs.includes(id)),
      [],
    );
    for (const [as, other] of [
      [token, world.rival.id],
      [rival, world.acme.id],
    ] as const)
      assert.deepEqual(
        await rows("SELECT id FROM audit_log WHERE contains(audit_log::VARCHAR, $other)", as, {
          parameters: { other },
        }),
        [],
      );
  });

  test("without audit:read every way to read it is refused with that permission's name, also as a plan", async () => {
    const reader = await withoutScope();
    for (const sql of READING) {
      assert.equal((await ask(sql)).status, 200, sql);
      for (const more of [{}, { explain: true }, { explain: "analyze" }, { limit: 1 }]) {
        const answer = await ask(sql, reader, more);
        assertProblem(answer, "insufficient_scope");
        assert.equal(answer.json["required_scope"], "audit:read");
        assert.ok(!answer.text.includes("aud_"), sql);
      }
    }
  });

  test("a statement that only mentions the name is not refused", async () => {
    const reader = await withoutScope();
    assert.equal((await ask("SELECT 'audit_log' AS audit_log FROM logs", reader)).status, 200);
    assert.equal((await ask("WITH audit_log AS (SELECT 1 AS one) SELECT * FROM audit_log", reader)).status, 200);
    assert.equal((await ask("SELECT audit_log.message FROM logs AS audit_log", reader)).status, 200);
  });

  test("a credential of one project gets the reason that the table belongs to the organization", async () => {
    for (const sql of READING) assertProblem(await ask(sql, await boundToken(world)), "forbidden");
  });

  test("a saved query shows the table only to callers who may read it", async () => {
    const saved = await save(world, { sql: "SELECT count(*) AS n FROM audit_log" }, await withoutScope());
    assert.equal(saved.status, 201, saved.text);
    const path = `/v1/query/saved/${String(saved.json["id"])}/run`;
    assert.equal((await world.call("POST", path, { token, body: {} })).status, 200);
    assertProblem(await world.call("POST", path, { token: await withoutScope(), body: {} }), "insufficient_scope");
  });

  test("each of many concurrent queries has all entries", async () => {
    const [before] = await rows("SELECT count(*) AS n FROM audit_log");
    const counts = await Promise.all(Array.from({ length: 4 }, () => rows("SELECT count(*) AS n FROM audit_log")));
    for (const [count] of counts) assert.deepEqual(count, before);
  });

  test("numbers of a detail keep their value, by SQL and by API", async () => {
    const detail = { n: exactJson.rawJSON("1234567890123456789"), price: exactJson.rawJSON("1.10") };
    const event = { orgId: world.acme.id, actor: { kind: "system", id: null }, action: "test.numbers" } as const;
    const deps = { metadata: world.metadata, clock: systemClock };
    await world.metadata.write((tx) => appendAudit(deps, tx, { ...event, result: "success", detail }));
    const read = await ask("SELECT detail FROM audit_log WHERE action = 'test.numbers'");
    const listed = await world.call("GET", "/v1/audit?action=test.numbers", { token });
    assert.ok(read.text.includes('"detail":{"n":1234567890123456789,"price":1.10}'), read.text);
    assert.match(listed.text, /"detail":\{"n":1234567890123456789,"price":1\.10?\}/);
  });

  test("an unreadable row is left out and counted", async () => {
    const seqOf = async (): Promise<number> => Number((await rows("SELECT count(*) AS n FROM audit_log"))[0]?.["n"]);
    const before = await seqOf();
    const [first, second] = [before + 1, before + 2];
    const row = { org_id: world.acme.id, actor_kind: "system", action: "test.bad", result: "success" } as const;
    const more = { prev_hash: "", hash: "", detail: "{" };
    const insert = (seq: number, at: number): Promise<unknown> =>
      world.metadata.write((tx) =>
        tx
          .insertInto("audit")
          .values({ ...NOBODY, ...row, ...more, id: `aud_bad${seq}`, seq, at })
          .execute(),
      );
    await insert(first, Number.MAX_SAFE_INTEGER); // Not a possible time.
    await insert(second, 0);
    const answer = await ask("SELECT id, detail FROM audit_log WHERE action = 'test.bad'");
    assert.deepEqual(answer.json["rows"], [{ id: `aud_bad${second}`, detail: null }], answer.text);
    assert.equal((answer.json["statistics"] as { rows_unreadable?: number }).rows_unreadable, 1);
    assert.equal(await seqOf(), before + 1);
  });
});

const NOBODY = { actor_id: null, target_kind: null, target_id: null, ip: null, request_id: null };
