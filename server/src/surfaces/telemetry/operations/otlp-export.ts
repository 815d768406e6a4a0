import type { Principal } from "#domain/identity/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { TelemetrySurfaceDeps } from "../deps.ts";
import { appendOnce } from "../protocols/append-once.ts";
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
export type OtlpOperation = (request: OtlpRequest) => Promise<Buffer>;

/**
 * `POST /otlp/v1/{logs,metrics,traces}`: answers once all rows are flushed to disk. When that fails for some rows, the
 * sender is asked to retry, see `appendOnce`.
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
      hashed: true,
      services: servicesOf(principal),
      notBefore: deps.store.notBefore(principal.orgId, type),
      otlp: { format, receivedMs },
    });
    await appendOnce(deps.store, { principal, type, protocol: `otlp ${format}`, encoded });
    return exportResponse(type, format, encoded);
  };
}
