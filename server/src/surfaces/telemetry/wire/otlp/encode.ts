import { INGEST_ENTRY_BYTES_MAX, OTLP_ROWS_BYTES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck } from "../check.ts";
import { lineOf, type EncodeOptions } from "../entry.ts";
import { ROW_OF } from "../rows.ts";
import { decodeJson } from "./json.ts";
import { mapLogs } from "./logs.ts";
import type { Requests } from "./messages.ts";
import { mapMetrics } from "./metrics.ts";
import { decodeProtobuf } from "./protobuf.ts";
import { REQUESTS } from "./schema.ts";
import { mapTraces } from "./traces.ts";
import type { Mapped, MappedRow } from "./values.ts";

export type OtlpFormat = "json" | "protobuf";

export interface OtlpOptions {
  readonly format: OtlpFormat;
  /** When the request came, in milliseconds since the epoch: the time of records that have none. */
  readonly receivedMs: number;
}

export interface EncodedRecords {
  /** NDJSON, one line a row, as `Batch.rows` wants it. */
  readonly rows: Buffer;
  /** Rows, of which a data point may have several. */
  readonly count: number;
  /** Records, spans or data points left out. */
  readonly rejected: number;
  /** Where they are wrong: `/entries/` stands before the record's index. The first 20 places. */
  readonly errors: ProblemPlace[];
}

/**
 * Turns an export request into rows. A record that is beyond a limit is left out and reported; it never spoils the others.
 * @throws Problem `invalid_body` when the body is no such request, `body_too_large`
 */
export function encodeOtlp(
  type: TelemetryType,
  body: Buffer,
  { format, receivedMs, projectId, notBefore }: OtlpOptions & Pick<EncodeOptions, "projectId" | "notBefore">,
): EncodedRecords {
  const decode = format === "json" ? decodeJson : decodeProtobuf;
  const out = new Rows(type, projectId ?? undefined, new EntryCheck(notBefore));
  for (const record of mapped(type, decode(REQUESTS[type], body), isoFromMs(receivedMs))) out.add(record);
  return out.encoded();
}

/** The decoders give what the schema says, and `Requests` says the same to the compiler. */
function mapped(type: TelemetryType, request: unknown, received: string): Generator<Mapped> {
  if (type === "logs") return mapLogs(request as Requests["logs"], received);
  if (type === "metrics") return mapMetrics(request as Requests["metrics"], received);
  return mapTraces(request as Requests["traces"]);
}

class Rows {
  readonly #type: TelemetryType;
  readonly #projectId: string | undefined;
  readonly #check: EntryCheck;
  #text = "";
  #bytes = 0;
  #count = 0;
  #rejected = 0;
  #index = 0;

  constructor(type: TelemetryType, projectId: string | undefined, check: EntryCheck) {
    this.#type = type;
    this.#projectId = projectId;
    this.#check = check;
  }

  add(record: Mapped): void {
    const lines = this.#linesOf(record);
    this.#index += 1;
    if (lines === undefined) {
      this.#rejected += 1;
      return;
    }
    this.#text += lines;
    this.#count += record.rows.length;
  }

  encoded(): EncodedRecords {
    const { places } = this.#check;
    return { rows: Buffer.from(this.#text), count: this.#count, rejected: this.#rejected, errors: places };
  }

  /** Undefined when the record is refused. */
  #linesOf({ rows, faults }: Mapped): string | undefined {
    this.#check.begin(this.#index);
    for (const { pointer, detail } of faults) this.#check.fault(pointer, detail);
    if (this.#check.faulty) return undefined;
    let lines = "";
    for (const row of rows) {
      const line = this.#lineOf(row);
      if (line === undefined) return undefined;
      this.#bytes += Buffer.byteLength(line);
      if (this.#bytes > OTLP_ROWS_BYTES_MAX) throw tooMuch();
      lines += line;
    }
    return lines;
  }

  #lineOf({ entry, severity }: MappedRow): string | undefined {
    // Once a row: the limit of keys is an entry's.
    this.#check.begin(this.#index);
    const row = ROW_OF[this.#type](entry, this.#projectId, this.#check);
    if (this.#check.faulty) return undefined;
    const line = lineOf(severity === undefined ? row : { ...row, severity }, this.#check);
    if (line.length * 3 <= INGEST_ENTRY_BYTES_MAX || Buffer.byteLength(line) <= INGEST_ENTRY_BYTES_MAX) return line;
    this.#check.fault("", `is larger than ${INGEST_ENTRY_BYTES_MAX} bytes with what its resource says`);
    return undefined;
  }
}

function tooMuch(): Problem {
  const detail = `The records have more than ${OTLP_ROWS_BYTES_MAX} bytes with what their resources say; send fewer at a time.`;
  return new Problem("body_too_large", detail);
}
