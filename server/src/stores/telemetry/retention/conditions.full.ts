import assert from "node:assert/strict";
import { test } from "node:test";
import { trustedClock } from "#kernel/testing.ts";
import { systemClock } from "#kernel/time.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { layoutOf } from "../layout.ts";
import { openRows, type RowStore } from "../rows.ts";
import { erasureParts, filesWith, requestErasure, rowsOf } from "../testing/retention.ts";
import { openTestStore, readMessages, recordingLog, temporaryDirectory, testSettings } from "../testing/store.ts";

/** Erasures by a condition in SQL, over the files of a directory. */

const ORG = "org_a";
const SECRET = "4111111111111111";

test("a condition sees the columns that queries see, and erases only the rows for which it is true", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const logs = [
    { level: "fatal", message: `card ${SECRET}`, attributes: { user: "ann", n: 1 } },
    { level: "info", message: "plain", attributes: { user: "ann", n: 2 } },
    { message: "no level" },
    { level: "error", message: "other", attributes: { n: 3 } },
  ];
  await store.rows.append(rowsOf(ORG, "logs", logs));
  await store.rows.compact();
  await store.rows.append(rowsOf(ORG, "logs", [{ level: "info", message: `again ${SECRET}` }]));
  await store.rows.append(
    rowsOf(ORG, "metrics", [
      { name: "m", value: 1, tags: { "service.name": "shop" } },
      { name: "m", value: 2, tags: {} },
    ]),
  );
  const erase = async (type: "logs" | "metrics", where: string): Promise<number> => {
    const id = await requestErasure(store.metadata, ORG, [type], { where });
    await store.rows.lifecycle.eraseDue();
    const [part] = await erasureParts(store.metadata, id);
    assert.equal(part?.state, "done");
    return part.rows_erased;
  };
  assert.equal(await erase("logs", `message like '%${SECRET}%'`), 2);
  assert.deepEqual(await filesWith(layoutOf(dir.path).root, SECRET), []);
  assert.equal(await erase("logs", "level <> 'info'"), 1, "a row without a level stays");
  assert.equal(await erase("logs", "severity_name = 'info' and (attributes->>'n')::int = 2"), 1);
  assert.deepEqual(await readMessages(store.rows, ORG), ["no level"]);
  assert.equal(await erase("metrics", "service = 'shop'"), 1);
  assert.equal(await erase("logs", "timestamp::date = '2026-11-20' and hour(timestamp) = 12"), 1, "times are in UTC");
  const row = await store.metadata.read.selectFrom("telemetry_erasure").select("match").execute();
  assert.ok(row.every(({ match }) => match === null));
  await store.close();
});

test("a stored condition that the gate would refuse erases nothing, and the log does not have its text", async () => {
  await using dir = await temporaryDirectory();
  const log = recordingLog();
  const store = await openTestStore(dir.path, { log });
  await store.rows.append(rowsOf(ORG, "logs", [{ message: "a" }, { message: "1" }]));
  const wheres = [
    "true or exists (select * from read_parquet('/etc/passwd'))",
    "true) or (true",
    "timestamp < now()",
    `message::int = 1 and message <> '${SECRET}'`,
  ];
  const ids: string[] = [];
  for (const where of wheres) ids.push(await requestErasure(store.metadata, ORG, ["logs"], { where }));
  await store.rows.lifecycle.eraseDue();
  for (const id of ids) assert.equal((await erasureParts(store.metadata, id))[0]?.rows_erased, 0);
  assert.equal((await readMessages(store.rows, ORG)).length, 2);
  assert.equal(log.lines.filter(({ message }) => message === "cannot erase telemetry").length, wheres.length);
  assert.ok(!JSON.stringify(log.lines).includes(SECRET));
  await store.close();
});

test("rows of the access log stay, without the columns about the actor", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const row = (ip: string): string => JSON.stringify({ timestamp: "2026-11-20T12:00:00.000Z", ip, actor_id: "user_1" });
  const rows = Buffer.from(`${row("192.0.2.1")}\n${row("192.0.2.2")}\n`);
  await store.rows.appendSpooled({ orgId: ORG, table: "access_log", rows, count: 2 }, "piece");
  const id = await requestErasure(store.metadata, ORG, ["access_log" as "logs"], { where: "ip = '192.0.2.1'" });
  await store.rows.lifecycle.eraseDue();
  const [part] = await erasureParts(store.metadata, id);
  assert.deepEqual([part?.state, part?.rows_erased], ["done", 1]);
  assert.deepEqual(await filesWith(layoutOf(dir.path).root, "192.0.2.1"), []);
  const { parquet } = (await store.rows.snapshot(ORG)).tables.access_log ?? { parquet: [] };
  assert.equal(
    parquet.reduce((sum, file) => sum + file.rows, 0),
    2,
  );
  await store.close();
});

for (const { kind, skip } of DATABASES)
  test(`two servers on one ${kind} database erase by the same condition, each in its directory`, { skip }, async () => {
    await using shared = await temporaryDirectory();
    await using first = await temporaryDirectory();
    await using second = await temporaryDirectory();
    const url = kind === "sqlite" ? undefined : await postgresUrl(shared.path);
    const clock = trustedClock(systemClock);
    const metadata = await openMetadata({ url, dataDir: shared.path, clock });
    const nodes: RowStore[] = [];
    for (const { path: dataDir } of [first, second]) {
      const options = { schedule: new Schedule(clock), dataDir, metadata, clock, log: recordingLog() };
      const rows = await openRows({ ...options, settings: testSettings() });
      const own = [{ message: "keep" }, { message: SECRET }];
      for (const orgId of [ORG, "org_b"]) await rows.append(rowsOf(orgId, "logs", own));
      nodes.push(rows);
    }
    const id = await requestErasure(metadata, ORG, ["logs"], { where: `contains(message, '${SECRET}')` });
    for (const node of nodes) await node.lifecycle.eraseDue();
    const parts = await erasureParts(metadata, id);
    assert.deepEqual(
      parts.map(({ state, rows_erased }) => [state, rows_erased]),
      [
        ["done", 1],
        ["done", 1],
      ],
    );
    for (const node of nodes) {
      assert.deepEqual(await readMessages(node, ORG), ["keep"]);
      assert.equal((await readMessages(node, "org_b")).length, 2);
      await node.close();
    }
    await metadata.close();
  });
