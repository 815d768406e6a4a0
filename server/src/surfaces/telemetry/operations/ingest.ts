import type { Principal } from "#domain/identity/index.ts";
import { idempotencyKeyOf, projectOfRows, type OperationContext } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { Problem } from "#kernel/problem.ts";
import type { Batch, TelemetryType } from "#stores/telemetry/index.ts";
import type { TelemetryOperation, TelemetrySurfaceDeps } from "../deps.ts";
import { countingRefused } from "../refused-entries.ts";
import type { EncodedBody } from "../wire/encode.ts";
import { LINES_TYPES, mediaTypeOf } from "../wire/media-types.ts";
import { bytesOf, type SentBody } from "../wire/sent-body.ts";

/**
 * `POST /v1/ingest/{type}` (reference, "Telemetry ingestion"): 202 once the batch is flushed to disk.
 * @throws Problem `invalid_body` with pointers, `body_too_large`, `unsupported_media_type`, `idempotency_key_reused`,
 * `quota_exceeded`, `disk_full`, `unavailable`
 */
export const ingest: TelemetryOperation<"ingest"> = async (deps, { params }, context) => {
  const { principal, request, reply } = context;
  const sent = { principal, protocol: "ingest", type: params.type, projectId: projectOfRows(request) };
  const { encoded, stored, replayed } = await countingRefused(deps.refused, sent, () =>
    store(deps, params.type, context),
  );
  if (!replayed) deps.rules?.counter.add(principal.orgId, encoded.ruleCounts);
  // Also the rows that rules removed. The rules, or the start of retention, may have changed since the first request.
  const accepted = Math.max(stored, encoded.count + (encoded.removed ?? 0));
  if (replayed) void reply.header("idempotency-replayed", "true");
  if (prefersLenient(request)) void reply.header("preference-applied", "handling=lenient");
  if (encoded.rejected === 0) return { accepted };
  return { accepted, rejected: encoded.rejected, errors: encoded.errors.map((place) => ({ ...place })) };
};

interface Stored {
  readonly encoded: EncodedBody;
  /** Rows of this request, or of the first one with the same key. */
  readonly stored: number;
  readonly replayed: boolean;
  readonly refused: EncodedBody["refused"];
}

async function store(
  deps: TelemetrySurfaceDeps,
  type: TelemetryType,
  { principal, request }: Pick<OperationContext, "principal" | "request">,
): Promise<Stored> {
  deps.store.admit(principal.orgId);
  const lenient = prefersLenient(request);
  const idempotencyKey = idempotencyKeyOf(request);
  const body = request.body as SentBody | undefined;
  if (body === undefined || bytesOf(body) === 0) {
    throw new Problem("invalid_body", 'The body is empty; send {"entries": [...]}, or an entry a line.');
  }
  const projectId = projectOfRows(request);
  const lines = LINES_TYPES.includes(mediaTypeOf(request.headers["content-type"]));
  const times = deps.store.acceptedTimes(principal.orgId, type);
  const hashed = idempotencyKey !== null;
  const rules = await deps.rules?.sets.of(principal);
  const options = { rules, projectId, lenient, lines, times, hashed, services: servicesOf(principal) };
  const encoded = await deps.encoders.encode(type, body, options);
  const batch: Batch = {
    orgId: principal.orgId,
    sender: principal.id,
    type,
    rows: encoded.rows,
    rowsCrc: encoded.rowsCrc,
    count: encoded.count,
    ...(idempotencyKey === null || encoded.bodyHash === undefined
      ? {}
      : {
          idempotency: {
            keyHash: sha256Hex(JSON.stringify([principal.id, idempotencyKey])),
            bodyHash: fingerprintOf(encoded.bodyHash, request.namedProject),
          },
        }),
  };
  const { accepted: stored, replayed } = await deps.store.append(batch);
  return { encoded, stored, replayed, refused: encoded.refused };
}

/** The same key with another project is another request. */
function fingerprintOf(bodyHash: string, namedProject: string | null): string {
  return namedProject === null ? bodyHash : sha256Hex(JSON.stringify([bodyHash, namedProject]));
}

/** Returns the only services that the principal may write. Undefined: all. */
export function servicesOf({ limits }: Principal): readonly string[] | undefined {
  return limits === undefined ? undefined : [...limits.services];
}

/** RFC 7240 section 4.4. */
function prefersLenient(request: OperationContext["request"]): boolean {
  const prefer = request.headers["prefer"];
  const fields = prefer === undefined ? [] : [prefer].flat();
  return fields.some((field) => /(?:^|[,;]\s*)handling\s*=\s*"?lenient"?(?:\s*[,;]|$)/i.test(field));
}
