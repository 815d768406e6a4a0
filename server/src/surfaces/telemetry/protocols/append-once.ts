import { crc32 } from "node:zlib";
import type { Principal } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { INGEST_ENTRIES_MAX, REPEAT_WINDOW_MS } from "#kernel/limits.ts";
import type { Batch, BatchKey, TelemetryStore, TelemetryType } from "#stores/telemetry/index.ts";
import type { EncodedBody } from "../wire/encode.ts";

/** The most bytes of a batch's rows: a log frame has a limit, and other requests wait for it. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface Encoded {
  readonly principal: Principal;
  readonly type: TelemetryType;
  /** The protocol, with everything of the request's head that changes the meaning of the body. */
  readonly protocol: string;
  /** The project that the request names for all rows. */
  readonly namedProject: string | null;
  readonly encoded: EncodedBody;
}

/**
 * Stores the rows of a request in batches. Resolves when all are flushed to disk. Agents send identical bytes again when
 * an answer is lost. If every entry has its own time, an equal body of the same sender within 15 minutes is such a
 * repeat: its batches that are stored already are not stored again, also after a crash between two batches. The answer
 * depends only on the body, so a repeat gets the first answer. But if another number of entries is refused now, for
 * example because their project was created since then, all are stored again: better twice than never.
 * Returns whether all batches were stored before.
 * @throws Problem `disk_full`, `unavailable`
 */
export async function appendOnce(
  store: Pick<TelemetryStore, "append">,
  { principal, type, protocol, namedProject, encoded }: Encoded,
): Promise<boolean> {
  const { bodyHash, isTimed } = encoded;
  const batches = batchesOf(encoded.rows, encoded.count);
  // With other rules, another row begins the second batch. Then the rows are stored again, because a batch that is left
  // out wrongly would be lost.
  const content = batches.length > 1 ? [encoded.rowsCrc ?? crc32(encoded.rows)] : [];
  const keyOf = (at: number): { idempotency?: BatchKey } => {
    if (bodyHash === undefined || isTimed !== true) return {};
    const named = namedProject === null ? [] : [namedProject];
    const parts = [principal.id, protocol, bodyHash, encoded.rejected, at, ...named, ...content];
    const keyHash = sha256Hex(JSON.stringify(parts));
    return { idempotency: { keyHash, bodyHash, windowMs: REPEAT_WINDOW_MS } };
  };
  const appended = await Promise.all(
    batches.map((batch, at) =>
      store.append({ orgId: principal.orgId, sender: principal.id, type, ...batch, ...keyOf(at) }),
    ),
  );
  return appended.length > 0 && appended.every(({ replayed }) => replayed);
}

/**
 * Splits rows into batches of at most `count` rows, the limit of an ingest request. Each newline ends a row, since JSON
 * escapes newlines inside strings.
 */
export function batchesOf(rows: Buffer, count: number): Pick<Batch, "rows" | "count">[] {
  if (count === 0) return [];
  const batches: Pick<Batch, "rows" | "count">[] = [];
  let start = 0;
  let lines = 0;
  for (let end = rows.indexOf(NEWLINE) + 1; end > 0; end = rows.indexOf(NEWLINE, end) + 1) {
    lines += 1;
    if (lines < INGEST_ENTRIES_MAX && end - start < BATCH_BYTES_MAX && end < rows.length) continue;
    batches.push({ rows: rows.subarray(start, end), count: lines });
    start = end;
    lines = 0;
  }
  return batches;
}
