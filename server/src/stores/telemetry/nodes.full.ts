/** Several servers with one metadata store, and a data directory each. */
import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { isId } from "#kernel/ids.ts";
import { systemClock as clock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { openTelemetry } from "./index.ts";
import { openRows, type RowStore } from "./rows.ts";
import {
  fileCounts,
  logBatch,
  openTestStore,
  readMessages,
  recordingLog,
  temporaryDirectory,
  testSettings,
} from "./testing/store.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { TEST_ORIGIN } from "./testing/origin.ts";

/** One server: its directory, its acknowledged batches, and its store while it runs. */
interface Node {
  readonly name: string;
  readonly dataDir: string;
  readonly taken: string[];
  readonly log: ReturnType<typeof recordingLog>;
  rows: RowStore;
}

const key = (name: string) => ({ keyHash: name, bodyHash: `body of ${name}` });

async function take(node: Node, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, i) => `${node.name} ${node.taken.length + i}`);
  await node.rows.append(logBatch("org_a", messages, key(messages[0] ?? "")));
  node.taken.push(...messages);
}

async function assertOwnRows(nodes: readonly Node[]): Promise<void> {
  for (const node of nodes)
    assert.deepEqual((await readMessages(node.rows, "org_a")).toSorted(), node.taken.toSorted(), node.name);
}

async function restart(node: Node, metadata: MetadataStore): Promise<void> {
  await node.rows.close();
  node.rows = await openRows({
    schedule: new Schedule(clock),
    dataDir: node.dataDir,
    metadata,
    clock: trustedClock(clock),
    log: node.log,
    settings: testSettings(),
  });
}

/** Counts the rows, and the distinct ones, that SQL returns from a node's directory. */
async function bySql(node: Node, metadata: MetadataStore): Promise<string> {
  const settings = {
    compactionRowsBytes: 1 << 20,
    compactionIntervalMs: 60_000,
    queryConcurrency: 1,
    queryConcurrencyOrganization: 1,
  };
  const store = await openTelemetry({
    schedule: new Schedule(clock),
    dataDir: node.dataDir,
    metadata,
    clock: trustedClock(clock),
    log: node.log,
    settings,
  });
  try {
    const run = await store.query({
      orgId: "org_a",
      origin: TEST_ORIGIN,
      visible: "all",
      sql: "SELECT count(*), count(DISTINCT message), count(*) FILTER (starts_with(message, $1)) FROM logs",
      parameters: [node.name],
      format: "csv",
      timeoutMs: 30_000,
      memoryBytesMax: 256 * 1024 * 1024,
      rowsMax: 10,
      truncate: false,
      signal: new AbortController().signal,
    });
    return (await text(run.body)).split("\r\n")[1] ?? "";
  } finally {
    await store.close();
  }
}

for (const { kind, skip } of DATABASES) {
  test(`two servers on one ${kind} database keep their telemetry apart`, { skip }, async () => {
    await using shared = await temporaryDirectory();
    await using first = await temporaryDirectory();
    await using second = await temporaryDirectory();
    const url = kind === "sqlite" ? undefined : await postgresUrl(shared.path);
    const metadata = await openMetadata({ url, dataDir: shared.path, clock });
    const nodeIn = async (name: string, dataDir: string): Promise<Node> => {
      const log = recordingLog();
      const rows = await openRows({
        schedule: new Schedule(clock),
        dataDir,
        metadata,
        clock: trustedClock(clock),
        log,
        settings: testSettings(),
      });
      return { name, dataDir, taken: [], log, rows };
    };
    const a = await nodeIn("a", first.path);
    const b = await nodeIn("b", second.path);
    try {
      // One server is far ahead with its batches; those of the other must not count as compacted.
      for (let i = 0; i < 5; i++) await take(a, 3);
      await a.rows.compact();
      await take(b, 2);
      await assertOwnRows([a, b]);
      await restart(b, metadata);
      await assertOwnRows([a, b]);
      await Promise.all([take(a, 1), take(b, 4)]);
      await Promise.all([a.rows.compact(), b.rows.compact()]);
      await Promise.all([take(a, 1), take(b, 1)]);
      for (const node of [a, b])
        assert.deepEqual(await fileCounts(node.rows, "org_a"), { parquet: node === a ? 2 : 1, hot: 1 });
      // The log has lost the batches of these keys. Both nodes have a batch with the first key.
      const { accepted, replayed } = await a.rows.append(logBatch("org_a", ["again", "again", "again"], key("a 0")));
      assert.deepEqual({ accepted, replayed }, { accepted: 3, replayed: true });
      assert.equal((await b.rows.append(logBatch("org_a", ["b, under the key of a"], key("a 0")))).replayed, false);
      b.taken.push("b, under the key of a");
      for (const node of [a, b]) await restart(node, metadata);
      await assertOwnRows([a, b]);
      for (const node of [a, b]) {
        await node.rows.close();
        const { length } = node.taken;
        assert.equal(await bySql(node, metadata), `${length},${length},${length}`);
        assert.deepEqual(
          node.log.lines.filter(({ level }) => level === "error" || level === "warn"),
          [],
        );
      }
    } finally {
      for (const node of [a, b]) await node.rows.close();
      await metadata.close();
    }
  });
}

test("a directory's ID is created once", async () => {
  await using dir = await temporaryDirectory();
  const path = join(dir.path, "telemetry", "store-id");
  await (await openTestStore(dir.path)).close();
  const id = (await readFile(path, "utf8")).trim();
  assert.ok(isId("store", id), id);
  await (await openTestStore(dir.path)).close();
  assert.equal((await readFile(path, "utf8")).trim(), id);
});

test("without its ID, or with a damaged one, telemetry is not opened and not changed", async () => {
  await using dir = await temporaryDirectory();
  const path = join(dir.path, "telemetry", "store-id");
  const store = await openTestStore(dir.path);
  await store.rows.append(logBatch("org_a", ["one"]));
  await store.rows.compact();
  await store.rows.append(logBatch("org_a", ["two"]));
  await store.close();
  const id = await readFile(path, "utf8");
  await rm(path);
  await assert.rejects(openTestStore(dir.path), /cannot open the telemetry directory: .*store-id is missing.*backup/);
  await writeFile(path, "store_1");
  await assert.rejects(openTestStore(dir.path), /cannot open the telemetry directory: .*store-id is damaged.*backup/);
  await writeFile(path, id);
  const again = await openTestStore(dir.path);
  assert.deepEqual((await readMessages(again.rows, "org_a")).toSorted(), ["one", "two"]);
  await again.close();
});
