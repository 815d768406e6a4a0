import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { batchOf, readEach } from "../testing/rows.ts";
import { fileCounts, openTestStore, readMessages, temporaryDirectory } from "../testing/store.ts";

const logAt = (timestamp: string, message: string) => ({ timestamp, level: "info", message });

test("a file has the rows of one day, sorted; late and early entries are in their own day's file", async () => {
  await using dir = await temporaryDirectory();
  let later = 0;
  const clock = { nowMs: () => Date.now() + later };
  const { rows, metadata, close } = await openTestStore(dir.path, { clock });
  const entries = [
    logAt("2026-11-20T00:00:00.000000Z", "first of the day"),
    logAt("2026-11-19T23:59:59.999999Z", "last of the day before"),
    logAt("2026-11-20T12:00:00.000000Z", "noon"),
    logAt("2026-08-01T12:00:00.000000Z", "late"),
    logAt("2026-11-20T06:00:00.000000Z", "morning"),
    logAt("2027-01-01T00:00:00.000000Z", "ahead"),
  ];
  await rows.append(batchOf("logs", entries));
  await rows.compact();
  await rows.append(batchOf("logs", [logAt("2026-08-01T11:00:00.000000Z", "later still")]));
  await rows.compact();
  const each = await readEach(rows, "logs", "message");
  assert.deepEqual(
    each.map((file) => file.rows.map(({ message }) => message)),
    [["later still"], ["late"], ["last of the day before"], ["first of the day", "morning", "noon"], ["ahead"]],
  );
  const files = metadata.read.selectFrom("telemetry_file").select(["day", "rows"]).orderBy("day");
  assert.deepEqual(
    (await files.execute()).map(({ day, rows: count }) => `${day} ${count}`),
    ["2026-08-01 1", "2026-08-01 1", "2026-11-19 1", "2026-11-20 3", "2027-01-01 1"],
  );
  later = 900_000; // Two files are worth a merge once no more arrive.
  await rows.merge();
  const merged = await readEach(rows, "logs", "message");
  assert.deepEqual(
    merged[0]?.rows.map(({ message }) => message),
    ["later still", "late"],
  );
  await close();
});

test("rows of three hundred years make a bounded number of files", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const days = Array.from({ length: 1000 }, (_, n) =>
    new Date(Date.UTC(1726, 0, 1) + n * 110 * 86_400_000).toISOString(),
  );
  await rows.append(
    batchOf(
      "logs",
      days.map((day, n) => logAt(day, String(n))),
    ),
  );
  await rows.compact();
  const { parquet, hot } = await fileCounts(rows, "org_a");
  assert.ok(parquet <= 32 && hot === 0, `${parquet} files`);
  assert.equal(new Set(await readMessages(rows, "org_a")).size, 1000);
  await close();
});

test("good rows beside damaged rows of many days are kept once, on their day", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const entries = Array.from({ length: 60 }, (_, n) => {
    const day = String(1 + (n % 20)).padStart(2, "0");
    return logAt(`2026-11-${day}T08:00:00.000000Z`, n % 25 === 7 ? `bad \ud800 ${n}` : `good ${n}`);
  });
  await rows.append(batchOf("logs", entries));
  await rows.compact();
  const good = entries.map(({ message }) => message).filter((message) => message.startsWith("good"));
  assert.deepEqual((await readMessages(rows, "org_a")).toSorted(), good.toSorted());
  for (const file of await readEach(rows, "logs", `("timestamp" AT TIME ZONE 'UTC')::DATE::VARCHAR AS day`))
    assert.equal(new Set(file.rows.map(({ day }) => day)).size, 1);
  assert.equal((await readdir(join(dir.path, "telemetry", "quarantine", "org_a", "logs"))).length, 3);
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "work")), []);
  await close();
});
