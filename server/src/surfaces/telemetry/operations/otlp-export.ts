import type { NamedProjects } from "#domain/identity/index.ts";
import type { Sender } from "#http/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { TelemetrySurfaceDeps } from "../deps.ts";
import { appendOnce } from "../protocols/append-once.ts";
import { countingRefused } from "../refused-entries.ts";
import { servicesOf } from "./ingest.ts";
import type { EncodedBody } from "../wire/encode.ts";
import type { OtlpFormat } from "../wire/otlp/encode.ts";
import { exportResponse } from "../wire/otlp/responses.ts";
import type { SentBody } from "../wire/sent-body.ts";

export interface OtlpRequest extends Sender {
  readonly format: OtlpFormat;
  readonly body: SentBody;
}

/** Returns the body of the answer. */
export type OtlpOperation = (request: OtlpRequest) => Promise<Buffer>;

/**
 * `POST /otlp/v1/{logs,metrics,traces}`: answers once all rows are flushed to disk. When that fails for some rows, the
 * sender is asked to retry, see `appendOnce`.
 * @throws Problem `invalid_body`, `body_too_large`, `unsupported_media_type`, `quota_exceeded`, `disk_full`,
 *   `unavailable`
 */
export function otlpExport(deps: TelemetrySurfaceDeps, type: TelemetryType): OtlpOperation {
  return async (request) => {
    const { format, principal, namedProject, projectId } = request;
    const protocol = `otlp ${format}`;
    const encoded = await countingRefused(deps.refused, { principal, protocol, type, projectId }, async () => {
      deps.store.admit(principal.orgId);
      const encoded = await encodeRequest(deps, type, request);
      const isRepeat = await appendOnce(deps.store, { principal, type, protocol, namedProject, encoded });
      if (!isRepeat) deps.rules?.counter.add(principal.orgId, encoded.ruleCounts);
      return encoded;
    });
    return exportResponse(type, format, encoded);
  };
}

/** Encodes the body, and again if its resources name projects that were not in memory. */
async function encodeRequest(
  { store, encoders, host, senderProjects, rules: parts }: TelemetrySurfaceDeps,
  type: TelemetryType,
  { format, body, principal, projectId, refusal }: OtlpRequest,
): Promise<EncodedBody> {
  const receivedMs = host.clock.nowMs();
  const rules = await parts?.sets.of(principal);
  const encode = (projects: NamedProjects): Promise<EncodedBody> =>
    encoders.encode(type, body, {
      projectId,
      lenient: true,
      hashed: true,
      rules,
      services: servicesOf(principal),
      times: store.acceptedTimes(principal.orgId, type),
      otlp: { format, receivedMs, projects, ...(refusal && { refusal: refusal.message }) },
    });
  const known = senderProjects?.known(principal) ?? {};
  const encoded = await encode(known);
  if (encoded.unknownProjects === undefined || senderProjects === undefined) return encoded;
  return encode({ ...known, ...(await senderProjects.resolve(principal, encoded.unknownProjects)) });
}
