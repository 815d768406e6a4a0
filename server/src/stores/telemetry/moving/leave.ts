import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "#kernel/ids.ts";
import { SPELLINGS_VERSION } from "#kernel/severity.ts";
import type { Clock } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { STORED_TABLES, type StoredTable } from "../spool/tables.ts";
import { CompactionProcess } from "../compaction/process.ts";
import type { MadeFile } from "../compaction/protocol.ts";
import { assertAllRows, makeWorkFolder, removeWork } from "../compaction/work.ts";
import { layoutOf, segmentFirstSeq, type Layout } from "../layout.ts";
import { newSegmentInfo } from "../log/segment.ts";
import { readSegment } from "../log/read.ts";
import { dayOf } from "../parquet-file.ts";
import { TELEMETRY_DEFAULTS } from "../settings.ts";
import { filesOf, progressOf, directoriesOf } from "./store.ts";
import type { MovedFile } from "./types.ts";

/** NDJSON of this size becomes one or more Parquet files. */
const INPUT_BYTES = 64 * 1024 * 1024;
const NEWLINE = Buffer.from("\n");
const IDLE_MS = 1_000;

/** The telemetry of an organization in the directory, at the moment of the records. */
export interface LeavingTelemetry {
  /** Parquet files that the server has. */
  readonly files: readonly MovedFile[];
  /** Converts the rows that are still in the log only. Calls `each` for every new file, which exists until it resolves. */
  readonly ofLog: (each: (file: MovedFile) => Promise<void>) => Promise<void>;
}

/**
 * Finds the telemetry of an organization. The caller must hold deletions since before the moment of `records`, which
 * need only be readable during the call.
 * @throws Error when another directory has rows of the organization
 */
export async function leavingTelemetry(
  { dataDir, clock }: { readonly dataDir: string; readonly clock: Clock },
  records: Reader,
  orgId: string,
): Promise<LeavingTelemetry> {
  const layout = layoutOf(dataDir);
  const storeId = (await readFile(layout.storeId, "utf8").catch(absent))?.trim() ?? "";
  const elsewhere = (await directoriesOf(records, orgId)).filter((id) => id !== storeId);
  if (elsewhere.length > 0)
    throw new Error(
      `telemetry of the organization is also in the directories ${elsewhere.join(", ")} of other servers; mooring nodes list shows them`,
    );
  if (storeId === "") return { files: [], ofLog: async () => undefined };
  const files = await filesOf(records, storeId, orgId);
  const compacted = await progressOf(records, storeId, orgId);
  return {
    files: files.map(({ path, ...row }) => ({ row, at: join(layout.root, path) })),
    ofLog: (each) => convertLog({ layout, clock, orgId, compacted, each }),
  };
}

/** Reads a file of `leavingTelemetry`. */
export function readMoved({ at }: MovedFile): AsyncIterable<Uint8Array> {
  return createReadStream(at, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
}

interface Conversion {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly orgId: string;
  /** The last batch in Parquet, by type. */
  readonly compacted: ReadonlyMap<string, number>;
  readonly each: (file: MovedFile) => Promise<void>;
}

async function convertLog(conversion: Conversion): Promise<void> {
  const { layout } = conversion;
  // The directory of a backup has only stored rows.
  await mkdir(layout.work, { recursive: true, mode: 0o700 });
  const folder = await makeWorkFolder(layout);
  const settings = { ...TELEMETRY_DEFAULTS.compaction, workDir: folder, idleMs: IDLE_MS };
  const runner = new CompactionProcess(settings);
  const inputs = new Map(STORED_TABLES.map((type) => [type, new Input(join(folder, `${type}.ndjson`))]));
  const convert = async (type: StoredTable, input: Input): Promise<void> => {
    const { path, rows } = await input.take();
    if (rows === 0) return;
    const outputDir = await makeWorkFolder(layout);
    try {
      const made = await runner.run({ kind: "compact", type, outputDir, asked: [], inputs: [path], rows });
      assertAllRows(rows, made);
      for (const file of made) await conversion.each(describe(conversion, type, file));
    } finally {
      await removeWork(outputDir);
    }
  };
  try {
    for await (const { type, count, rows } of batches(conversion)) {
      const input = inputs.get(type);
      if (input === undefined) continue;
      await input.add(rows, count);
      if (input.bytes >= INPUT_BYTES) await convert(type, input);
    }
    for (const [type, input] of inputs) await convert(type, input);
  } finally {
    for (const input of inputs.values()) await input.close();
    await runner.close();
    await removeWork(folder);
  }
}

/** Yields the batches of the organization that Parquet does not have. */
async function* batches({
  layout,
  orgId,
  compacted,
}: Conversion): AsyncGenerator<{ type: StoredTable; count: number; rows: Buffer }> {
  const names = ((await readdir(layout.wal).catch(absent)) ?? []).map(segmentFirstSeq);
  const firsts = names.filter((seq) => seq !== undefined).toSorted((a, b) => a - b);
  for (const [i, firstSeq] of firsts.entries()) {
    const segment = newSegmentInfo(layout.wal, firstSeq);
    // Later bytes of a segment were rejected: it ends where the next one begins.
    segment.lastSeq = (firsts[i + 1] ?? Number.MAX_SAFE_INTEGER) - 1;
    segment.bytes = (await stat(segment.path).catch(absent))?.size ?? 0;
    for await (const { seq, meta, rows } of (await readSegment(segment)) ?? [])
      if (meta.orgId === orgId && seq > (compacted.get(meta.type) ?? 0))
        yield { type: meta.type, count: meta.count, rows };
  }
}

function describe({ clock, orgId }: Conversion, type: StoredTable, file: MadeFile): MovedFile {
  const createdAt = clock.nowMs();
  const row = {
    id: newId("seg", createdAt),
    org_id: orgId,
    type,
    rows: file.rows,
    bytes: file.bytes,
    min_us: clamped(file.minUs),
    max_us: clamped(file.maxUs),
    day: dayOf(clamped(file.maxUs)),
    promoted: JSON.stringify(file.promoted),
    created_at: createdAt,
    spellings: SPELLINGS_VERSION,
  };
  return { row, at: file.path };
}

function clamped(us: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, us));
}

/** Rows of one type as NDJSON. */
class Input {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #rows = 0;
  bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async add(rows: Buffer, count: number): Promise<void> {
    this.#handle ??= await open(this.#path, "w", 0o600);
    await this.#handle.writeFile(rows);
    if (rows.at(-1) !== NEWLINE[0]) await this.#handle.writeFile(NEWLINE);
    this.#rows += count;
    this.bytes += rows.length;
  }

  /** Ends the file. The next `add` begins a new one in its place. */
  async take(): Promise<{ path: string; rows: number }> {
    await this.close();
    const rows = this.#rows;
    [this.#rows, this.bytes] = [0, 0];
    return { path: this.#path, rows };
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
