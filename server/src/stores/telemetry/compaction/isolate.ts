import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import type { StoredTable } from "../spool/tables.ts";
import type { Layout } from "../layout.ts";
import type { TelemetryLog } from "../settings.ts";
import type { CompactJob, CompactionRunner, MadeFile } from "./protocol.ts";
import { assertAllRows, makeWorkFolder } from "./work.ts";

/** A file of NDJSON, and its number of rows. */
export interface Slice {
  readonly path: string;
  readonly rows: number;
  /** Created here, and removed afterwards. */
  readonly temporary: boolean;
}

export interface IsolateOptions {
  readonly orgId: string;
  readonly type: StoredTable;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly slices: readonly Slice[];
  readonly job: Pick<CompactJob, "asked" | "urgent" | "askedOnly">;
  readonly layout: Layout;
  readonly runner: CompactionRunner;
  readonly log: TelemetryLog;
  /** Throws when the failures may come from a full disk. */
  readonly ensureSpace: () => Promise<void>;
}

/** After this many failures whole pieces are quarantined, to limit the work. */
const FAILURES_MAX = 64;

const NEWLINE = 0x0a;

/**
 * Writes Parquet of the slices. When that fails but a plain row can be compacted, the input is halved until the failing
 * rows are found. These are quarantined, and the rest is compacted.
 * @throws Error when nothing can be compacted at present
 */
export async function isolate(options: IsolateOptions): Promise<{ made: MadeFile[]; quarantined: number }> {
  const made: MadeFile[] = [];
  const work: (readonly Slice[])[] = [options.slices];
  let failures = 0;
  let quarantined = 0;
  try {
    for (let slices = work.pop(); slices !== undefined; slices = work.pop()) {
      const result = await attempt(options, slices);
      if (!(result instanceof Error)) {
        made.push(...result);
        await discard(slices);
        continue;
      }
      failures += 1;
      await assertWorking(options, result);
      const alone = rowsOf(slices) === 1 || failures > FAILURES_MAX;
      if (alone) quarantined += await quarantine(options, slices, quarantined, result);
      else work.push(...(await halve(options, slices)));
    }
  } catch (error) {
    for (const { path } of made) await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
  return { made, quarantined };
}

async function attempt(options: IsolateOptions, slices: readonly Slice[]): Promise<readonly MadeFile[] | Error> {
  const { type, job, runner, layout } = options;
  const outputDir = await makeWorkFolder(layout);
  try {
    const inputs = slices.map((slice) => slice.path);
    const rows = rowsOf(slices);
    const made = await runner.run({ ...job, kind: "compact", type, inputs, rows, outputDir });
    assertAllRows(rows, made);
    return made;
  } catch (error) {
    await rm(outputDir, { recursive: true, force: true });
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Distinguishes input that cannot be compacted from a machine that cannot compact. */
async function assertWorking(options: IsolateOptions, failure: Error): Promise<void> {
  if (/no space left|disk quota/i.test(failure.message)) throw failure;
  await options.ensureSpace();
  const path = workPath(options);
  await writeFile(path, '{"timestamp":"2026-01-01T00:00:00.000000Z"}\n');
  const probe = await attempt(options, [{ path, rows: 1, temporary: true }]);
  await rm(path, { force: true });
  if (probe instanceof Error)
    throw new Error("cannot compact telemetry: not even a plain row can be compacted", { cause: failure });
  for (const file of probe) await rm(dirname(file.path), { recursive: true, force: true });
}

async function halve(options: IsolateOptions, slices: readonly Slice[]): Promise<Slice[][]> {
  const [only] = slices;
  if (slices.length > 1 || only === undefined) {
    const middle = slices.length >> 1;
    return [slices.slice(0, middle), slices.slice(middle)];
  }
  const content = await readFile(only.path);
  const rows = only.rows >> 1;
  const cut = endOfRow(content, rows);
  const first = { path: workPath(options), rows, temporary: true };
  const second = { path: workPath(options), rows: only.rows - rows, temporary: true };
  await writeFile(first.path, content.subarray(0, cut));
  await writeFile(second.path, content.subarray(cut));
  await discard(slices);
  return [[first], [second]];
}

function endOfRow(content: Buffer, rows: number): number {
  let end = 0;
  for (let row = 0; row < rows; row++) end = content.indexOf(NEWLINE, end) + 1;
  return end;
}

/** Stores the rows for a person to examine. They are on disk before the commit that removes them from the tables. */
async function quarantine(
  options: IsolateOptions,
  slices: readonly Slice[],
  nth: number,
  cause: Error,
): Promise<number> {
  const { layout, orgId, type, firstSeq, lastSeq, log } = options;
  const dir = join(layout.quarantine, orgId, type);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, `${firstSeq}-${lastSeq}-${nth}.ndjson`);
  const content = await Promise.all(slices.map((slice) => readFile(slice.path)));
  await writeFile(path, Buffer.concat(content), { mode: 0o600, flush: true });
  await syncDirectory(dir);
  await discard(slices);
  const rows = rowsOf(slices);
  log.error(
    { err: cause, org_id: orgId, type, rows, kept: path },
    "telemetry could not be compacted and is in quarantine",
  );
  return rows;
}

async function discard(slices: readonly Slice[]): Promise<void> {
  for (const { path, temporary } of slices) if (temporary) await rm(path, { force: true });
}

function rowsOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Returns a name that nobody else uses, not even the child of a process that was just killed. The folder is emptied at
 * start.
 */
function workPath(options: IsolateOptions): string {
  return join(options.layout.work, `${randomUUID()}.ndjson`);
}
