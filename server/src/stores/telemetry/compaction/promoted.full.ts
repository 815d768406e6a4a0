import assert from "node:assert/strict";
import { test } from "node:test";
import { isPromotable, promotedColumn } from "../columns.ts";
import { batchOf, readEach } from "../testing/rows.ts";
import { openTestStore, temporaryDirectory } from "../testing/store.ts";

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Keys and values that are difficult for JSON paths, SQL names or comparisons. */
const ODD_KEYS = [
  "k",
  "K",
  'quo"te',
  "apo'strophe",
  "a.b.c",
  "[0]",
  "ключ",
  "é",
  "e\u0301",
  " space ",
  "0",
  "#",
  "a*",
  "😀",
  "__proto__",
  "\n",
];
const VALUES: readonly unknown[] = [
  "text",
  "",
  "null",
  null,
  0,
  1.5,
  1e21,
  true,
  [1, { a: null }],
  { b: { c: "é" } },
  "\u0000x",
  'q"',
];

const attributesOf = (n: number): string => {
  const members = ODD_KEYS.map((key, i) => `${JSON.stringify(key)}:${JSON.stringify(VALUES[(n + i) % VALUES.length])}`);
  return `{${members.filter((_, i) => (n + i) % 5 !== 0).join(",")}}`;
};

const entry = (n: number, attributes: unknown) => ({
  timestamp: `2026-11-20T08:${String(n % 60).padStart(2, "0")}:00.000000Z`,
  level: "info",
  message: String(n),
  ...(attributes === undefined ? {} : { attributes }),
});

async function assertEqualColumns(rows: Parameters<typeof readEach>[0], keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const columns = `attributes->>${quote(key)} AS direct, "${promotedColumn(key)}" AS promoted`;
    for (const file of await readEach(rows, "logs", columns)) {
      assert.ok(file.promoted.includes(key), `${JSON.stringify(key)} is promoted`);
      for (const { direct, promoted } of file.rows) assert.equal(promoted, direct, JSON.stringify(key));
    }
  }
}

test("a promoted column equals ->> for every key and value, after compaction and after merging", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const odd = Array.from({ length: 60 }, (_, n) => entry(n, JSON.parse(attributesOf(n)) as unknown));
  const others = [undefined, null, [1, 2], "text", 5, {}].map((attributes, n) => entry(n, attributes));
  rows.noteAsked("org_a", "logs", ODD_KEYS);
  await rows.append(batchOf("logs", [...odd, ...others]));
  await rows.compact();
  assert.ok(ODD_KEYS.every(isPromotable));
  await assertEqualColumns(rows, ODD_KEYS);
  const other = Array.from({ length: 12 }, (_, n) => `k${n}`);
  for (let file = 0; file < 8; file++) {
    for (let i = 0; i < 5; i++) rows.noteAsked("org_a", "logs", other);
    await rows.append(batchOf("logs", [...odd, ...others]));
    await rows.compact();
  }
  await rows.merge();
  const [merged, ...more] = await readEach(rows, "logs", "message");
  assert.deepEqual([merged?.rows.length, more.length], [9 * (odd.length + others.length), 0]);
  assert.deepEqual(merged?.promoted.slice(0, 12).toSorted(), other.toSorted());
  await assertEqualColumns(rows, merged?.promoted ?? []);
  await close();
});

test("keys of many rows are promoted automatically, in logs and traces, and the manifest names them", async () => {
  await using dir = await temporaryDirectory();
  const { rows, metadata, close } = await openTestStore(dir.path);
  const attributes = (n: number) => ({ method: n % 2 === 0 ? "GET" : "POST", id: `unique ${n}`, nested: { a: n % 3 } });
  await rows.append(
    batchOf(
      "logs",
      Array.from({ length: 200 }, (_, n) => entry(n, attributes(n))),
    ),
  );
  const spans = Array.from({ length: 200 }, (_, n) => ({
    timestamp: "2026-11-20T08:00:00.000000Z",
    trace_id: `t${n}`,
    span_id: `s${n}`,
    name: "n",
    status: "ok",
    duration_ms: 1,
    attributes: attributes(n),
  }));
  await rows.append(batchOf("traces", spans));
  const tagged = Array.from({ length: 200 }, () => ({
    timestamp: "2026-11-20T08:00:00.000000Z",
    name: "cpu",
    value: 1,
    tags: { host: "a" },
  }));
  await rows.append(batchOf("metrics", tagged));
  await rows.compact();
  const files = await metadata.read.selectFrom("telemetry_file").select(["type", "promoted"]).orderBy("type").execute();
  assert.deepEqual(files, [
    { type: "logs", promoted: '["method","nested"]' },
    { type: "metrics", promoted: "[]" },
    { type: "traces", promoted: '["method","nested"]' },
  ]);
  const [traces] = await readEach(
    rows,
    "traces",
    `"${promotedColumn("nested")}" AS nested, "${promotedColumn("method")}" AS method`,
  );
  assert.deepEqual(traces?.rows[1], { nested: '{"a":1}', method: "POST" });
  const [logs] = await readEach(rows, "logs", 'epoch_us("timestamp")::DOUBLE AS us');
  const times = logs?.rows.map(({ us }) => Number(us)) ?? [];
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  await close();
});
