import { isoFromMs } from "#kernel/time.ts";
import type { NamedProjects } from "#domain/identity/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { EncodeOptions } from "../entry.ts";
import { decodeProtobuf } from "../protobuf/decode.ts";
import { RecordRows, type EncodedRecords, type Mapped } from "../records.ts";
import { decodeJson } from "./json.ts";
import { mapLogs } from "./logs.ts";
import type { Requests } from "./messages.ts";
import { mapMetrics } from "./metrics.ts";
import { REQUESTS } from "./schema.ts";
import { mapTraces } from "./traces.ts";

export type OtlpFormat = "json" | "protobuf";

export interface OtlpOptions {
  readonly format: OtlpFormat;
  /** When the request arrived, in milliseconds since the epoch. Records without a time get this one. */
  readonly receivedMs: number;
  /** The projects that resources may name. */
  readonly projects?: NamedProjects;
  /** Why records without a project are refused. Absent: they are not. */
  readonly refusal?: string;
}

/**
 * Encodes an export request to rows. A record with too many attributes is stored without some of them; a record beyond
 * another limit is left out. Both are reported, and the other records are not affected.
 * @throws Problem `invalid_body` when the body is not such a request, `body_too_large`
 */
export function encodeOtlp(
  type: TelemetryType,
  body: Buffer,
  {
    format,
    receivedMs,
    projectId,
    projects,
    refusal,
    ...limits
  }: OtlpOptions & Pick<EncodeOptions, "projectId" | "times" | "services">,
): EncodedRecords {
  const decode = format === "json" ? decodeJson : decodeProtobuf;
  const out = new RecordRows({ type, projectId, projects, refusal, ...limits });
  for (const record of mapped(type, decode(REQUESTS[type], body), isoFromMs(receivedMs))) out.add(record);
  return out.encoded();
}

/**
 * Calls the mapper of the type. The decoders return the form of the schema, which `Requests` describes to the compiler.
 */
function mapped(type: TelemetryType, request: unknown, received: string): Generator<Mapped> {
  if (type === "logs") return mapLogs(request as Requests["logs"], received);
  if (type === "metrics") return mapMetrics(request as Requests["metrics"], received);
  return mapTraces(request as Requests["traces"]);
}
