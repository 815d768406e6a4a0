import type { Principal } from "#domain/identity/index.ts";
import { INGEST_ENTRIES_MAX } from "#kernel/limits.ts";
import type { Batch, TelemetryType } from "#stores/telemetry/index.ts";
import type { TelemetrySurfaceDeps } from "../deps.ts";
import { servicesOf } from "./ingest.ts";
import type { OtlpFormat } from "../wire/otlp/encode.ts";
import { exportResponse } from "../wire/otlp/responses.ts";
import type { SentBody } from "../wire/sent-body.ts";

export interface OtlpRequest {
  readonly format: OtlpFormat;
  readonly body: SentBody;
  readonly principal: Principal;
}

/** Returns the body of the answer. */
type OtlpOperation = (request: OtlpRequest) => Promise<Buffer>;

/** The most bytes of a batch's rows: a log frame has a limit, and other requests wait for it. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * `POST /otlp/v1/{logs,metrics,traces}`: answers once all rows are flushed to disk. When that fails for some rows, the
 * sender is asked to retry, and the flushed ones are then stored twice: OTLP can't identify an export.
 * @throws Problem `invalid_body`, `body_too_large`, `unsupported_media_type`, `quota_exceeded`, `disk_full`,
 *   `unavailable`
 */
export function otlpExport(deps: TelemetrySurfaceDeps, type: TelemetryType): OtlpOperation {
  return async ({ format, body, principal }) => {
    deps.store.admit(principal.orgId);
    const receivedMs = deps.host.clock.nowMs();
    const projectId = principal.kind === "credential" ? principal.projectId : null;
    const encoded = await deps.encoders.encode(type, body, {
      projectId,
      lenient: true,
      services: servicesOf(principal),
      notBefore: deps.store.notBefore(principal.orgId, type),
      otlp: { format, receivedMs },
    });
    const batches = batchesOf(encoded.rows, encoded.count);
    await Promise.all(batches.map((batch) => deps.store.append({ orgId: principal.orgId, type, ...batch })));
    return exportResponse(type, format, encoded);
  };
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
