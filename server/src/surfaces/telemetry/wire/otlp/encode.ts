import { ENTRY_KEYS_MAX, INGEST_ENTRY_BYTES_MAX, OTLP_ROWS_BYTES_MAX, PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck } from "../check.ts";
import { lineOf, type Cut, type EncodeOptions } from "../entry.ts";
import { ROW_OF } from "../rows.ts";
import { withinKeys } from "./cut.ts";
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
  /** When the request arrived, in milliseconds since the epoch. Records without a time get this one. */
  readonly receivedMs: number;
}

export interface EncodedRecords {
  /** NDJSON, one row in each line, as in `Batch.rows`. */
  readonly rows: Buffer;
  /** The number of rows; a data point may have several. */
  readonly count: number;
  /** The number of records, spans or data points left out. */
  readonly rejected: number;
  /** The first 20 faults. A pointer begins with `/entries/` and the record's index. */
  readonly errors: ProblemPlace[];
  /** Records that were stored without some of their attributes. */
  readonly cut?: Cut;
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
    ...limits
  }: OtlpOptions & Pick<EncodeOptions, "projectId" | "notBefore" | "services">,
): EncodedRecords {
  const decode = format === "json" ? decodeJson : decodeProtobuf;
  const out = new Rows(type, projectId ?? undefined, new EntryCheck(limits));
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

class Rows {
  readonly #type: TelemetryType;
  readonly #projectId: string | undefined;
  readonly #check: EntryCheck;
  #text = "";
  #bytes = 0;
  #count = 0;
  #rejected = 0;
  #index = 0;
  /** How many attributes of the current record were left out. */
  #left = 0;
  #cutEntries = 0;
  readonly #cutPlaces: ProblemPlace[] = [];

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
    if (this.#left === 0) return;
    this.#cutEntries += 1;
    const detail = `was cut: ${this.#left} of its attributes are beyond ${ENTRY_KEYS_MAX} keys`;
    if (this.#cutPlaces.length < PROBLEM_PLACES_MAX)
      this.#cutPlaces.push({ pointer: `/entries/${this.#index - 1}`, detail });
  }

  encoded(): EncodedRecords {
    const { places } = this.#check;
    const encoded = { rows: Buffer.from(this.#text), count: this.#count, rejected: this.#rejected, errors: places };
    if (this.#cutEntries === 0) return encoded;
    return { ...encoded, cut: { entries: this.#cutEntries, places: this.#cutPlaces } };
  }

  /** Returns the record's rows; undefined when it is refused. */
  #linesOf({ rows, faults }: Mapped): string | undefined {
    this.#check.begin(this.#index);
    for (const { pointer, detail } of faults) this.#check.fault(pointer, detail);
    if (this.#check.faulty) return undefined;
    let lines = "";
    this.#left = 0;
    for (const row of rows) {
      const line = this.#lineOf(row);
      if (line === undefined) return undefined;
      this.#bytes += Buffer.byteLength(line);
      if (this.#bytes > OTLP_ROWS_BYTES_MAX) throw tooMuch();
      lines += line;
    }
    return lines;
  }

  #lineOf({ entry, severity, details }: MappedRow): string | undefined {
    // Begins again for each row, since the limit of keys is for one row.
    this.#check.begin(this.#index);
    const { entry: fitting, left } = withinKeys(entry);
    this.#left = Math.max(this.#left, left);
    const row = ROW_OF[this.#type](fitting, this.#projectId, this.#check);
    if (this.#check.faulty) return undefined;
    const whole = {
      ...row,
      ...(severity === undefined ? {} : { severity }),
      ...(details === undefined ? {} : { attributes: { ...details, ...(fitting["attributes"] as object) } }),
    };
    const line = lineOf(whole, this.#check);
    if (line.length * 3 <= INGEST_ENTRY_BYTES_MAX || Buffer.byteLength(line) <= INGEST_ENTRY_BYTES_MAX) return line;
    this.#check.fault("", `is larger than ${INGEST_ENTRY_BYTES_MAX} bytes together with its resource`);
    return undefined;
  }
}

function tooMuch(): Problem {
  const detail = `The records have more than ${OTLP_ROWS_BYTES_MAX} bytes together with their resources. Send fewer at a time.`;
  return new Problem("body_too_large", detail);
}
