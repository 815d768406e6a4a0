import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ask, type Asked } from "./ask.ts";
import { writeLogs, writeSpans, type Batches } from "./dataset.ts";
import { openByHand } from "./by-hand.ts";
import type { Shape } from "./entries.ts";
import { runFloor } from "./floor.ts";
import { startMooring } from "./mooring.ts";
import { readOptions } from "./options.ts";
import { asWritten, questionsFor } from "./queries.ts";
import { ingestTable, queryTable } from "./report.ts";
import { diskBytes } from "./sampler.ts";
import { ingest } from "./target.ts";
import { startVictoriaLogs } from "./victorialogs.ts";

// Measures logs as an organization's programs send them: the entries per second at which compaction keeps up, their
// cost, and the times of a log explorer's queries. Compares these with DuckDB over the same files and with a log
// database.

const DISK_BYTES_PER_ENTRY = 1500;
const INGEST_ENTRIES_PER_SECOND_MIN = 5000;

const options = readOptions(process.argv.slice(2), process.env);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const dir = mkdtempSync(join(options.dir ?? tmpdir(), "mooring-bench-logs-"));
process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
await run(dir);

async function run(dir: string): Promise<void> {
  const shape = shapeOf();
  assertSpace(dir, shape.entries);
  tell(`load average before the run: ${loadavg()[0]?.toFixed(2)} on ${availableParallelism()} cores`);
  const logs = writeLogs(dir, shape);
  const spans = writeSpans(dir, shape);
  tell(
    `${shape.entries} entries of ${Math.round(logs.bytes / shape.entries)} bytes of JSON, and ${shape.spans} spans; ${hoursOf(shape)}`,
  );
  if (options.victorialogs === undefined) tell("VictoriaLogs is left out: MOORING_BENCH_VICTORIALOGS names no binary");
  const floor = await runFloor(logs, dir);
  const mooring = await startMooring(join(dir, "mooring"));
  const victorialogs =
    options.victorialogs === undefined
      ? undefined
      : await startVictoriaLogs(options.victorialogs, join(dir, "victorialogs"));
  try {
    const targets = victorialogs === undefined ? [mooring] : [mooring, victorialogs];
    // Asks each question before the measurement, because queries decide which attributes get a column.
    for (const question of questionsFor(shape)) await mooring.query(question.sql(asWritten));
    const runs = [];
    for (const target of targets) {
      const result = await ingest(target, logs, timeoutFor(logs));
      const found = await target.entries();
      if (found !== shape.entries) throw new Error(`${target.name} has ${found} of ${shape.entries} entries`);
      await target.rest();
      const restedBytes = await diskBytes(target.storageDir);
      runs.push({
        target,
        run: result,
        restedBytes,
        filesBytes: await diskBytes(target.filesDir ?? target.storageDir),
      });
    }
    tell(ingestTable(runs, floor, shape.entries));
    await mooring.authorize();
    const spansIn = await ingest(mooring, spans, timeoutFor(spans));
    tell(`spans: ${Math.round(spansIn.entries / (spansIn.elapsedMs / 1000))} a second`);
    await mooring.rest();
    const links = join(dir, "links");
    const byHand = await openByHand({
      logs: mooring.linkFiles("logs", links),
      traces: mooring.linkFiles("traces", links),
    });
    tell(`attributes with a column in every file: ${byHand.promotedKeys.join(", ") || "none"}`);
    const asked: Asked[] = [];
    for (const question of questionsFor(shape)) {
      await mooring.authorize();
      asked.push(await ask({ mooring, byHand, victorialogs }, question));
    }
    byHand.close();
    tell(queryTable(asked));
  } finally {
    await mooring.stop();
    await victorialogs?.stop();
  }
}

/** Six hours of yesterday, so that retention deletes nothing and all entries are of one day. */
function shapeOf(): Shape {
  const startMs = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000 + 8 * 3_600_000;
  return {
    entries: options.entries,
    spans: Math.max(1, Math.floor(options.entries / 10)),
    seed: options.seed,
    startMs,
  };
}

function hoursOf(shape: Shape): string {
  return `six hours from ${new Date(shape.startMs).toISOString()}`;
}

function assertSpace(at: string, entries: number): void {
  mkdirSync(at, { recursive: true });
  const { bavail, bsize } = statfsSync(at);
  const wanted = entries * DISK_BYTES_PER_ENTRY;
  if (bavail * bsize < wanted)
    throw new Error(`cannot run: ${at} has less than ${Math.ceil(wanted / 1e9)} GB free; name another place by --dir`);
}

function timeoutFor(batches: Batches): number {
  return 60_000 + (batches.entries / INGEST_ENTRIES_PER_SECOND_MIN) * 1000;
}

function tell(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
