import type { TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries, type EncodedEntries, type EncodeOptions } from "./entries.ts";
import { encodeOtlp, type OtlpOptions } from "./otlp/encode.ts";

export interface EncodeBodyOptions extends EncodeOptions {
  /** Present when the body is an OTLP export request, which is always taken leniently. */
  readonly otlp?: OtlpOptions;
}

/** The rows of a request's body, in either of the forms that telemetry comes in. @throws Problem `invalid_body`, `body_too_large` */
export function encodeBody(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedEntries {
  const { otlp, projectId } = options;
  return otlp === undefined ? encodeEntries(type, body, options) : encodeOtlp(type, body, { ...otlp, projectId });
}
