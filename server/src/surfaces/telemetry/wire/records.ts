import { ENTRY_KEYS_MAX, INGEST_ENTRY_BYTES_MAX, OTLP_ROWS_BYTES_MAX, PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { NamedProjects } from "#domain/identity/index.ts";
import type { RefusedReason } from "#domain/refused-entries/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntryCheck, type EntryLimits, type JsonObject } from "./check.ts";
import { withinKeys } from "./cut.ts";
import { lineOf, type Cut } from "./entry.ts";
import { ROW_OF } from "./rows.ts";

/** The result for one record: its rows, which are stored all or none, and the fault that refuses them. */
export interface Mapped {
  readonly rows: readonly MappedRow[];
  readonly faults: readonly ProblemPlace[];
  /** The project that the record's resource names, by slug or id. */
  readonly project?: string | undefined;
  /** The record has no time; its rows have the time of arrival. */
  readonly isTimeless?: boolean;
}

export interface MappedRow {
  readonly entry: JsonObject;
  /** The sent severity number, which is more exact than the level. */
  readonly severity?: number | undefined;
  /**
   * Attributes whose keys are not counted, because their limits were checked separately. The entry's own attributes
   * have priority.
   */
  readonly details?: JsonObject | undefined;
}

export interface EncodedRecords {
  /** NDJSON, one row in each line, as in `Batch.rows`. */
  readonly rows: Buffer;
  /** The number of rows; a record may have several. */
  readonly count: number;
  /** The number of records left out. */
  readonly rejected: number;
  /** The first 20 faults. A pointer begins with `/entries/` and the record's index. */
  readonly errors: ProblemPlace[];
  /** The records left out, by reason. */
  readonly refused?: readonly RefusedReason[] | undefined;
  /** Records that were stored without some of their attributes. */
  readonly cut?: Cut;
  /** Whether every record has its own time. */
  readonly isTimed: boolean;
  /** Named projects that `projects` does not have. Their records are rejected. */
  readonly unknownProjects?: readonly string[];
}

/** The most names in `unknownProjects`. */
const UNKNOWN_MAX = 1_000;

export interface RecordRowsOptions extends EntryLimits {
  readonly type: TelemetryType;
  /** The projects that records may name. */
  readonly projects?: NamedProjects | undefined;
  readonly projectId: string | null;
  /** Why records without a project are refused. Absent: they are not. */
  readonly refusal?: string | undefined;
}

/**
 * Checks the records of a protocol one after another and encodes them to rows. A record with too many attributes is
 * stored without some of them; a record beyond another limit is left out. Both are reported, and the other records are
 * not affected.
 */
export class RecordRows {
  readonly #type: TelemetryType;
  readonly #projectId: string | undefined;
  readonly #projects: NamedProjects;
  readonly #refusal: string | undefined;
  readonly #unknown = new Set<string>();
  readonly #check: EntryCheck;
  #text = "";
  #bytes = 0;
  #count = 0;
  #rejected = 0;
  #index = 0;
  #isTimed = true;
  /** How many attributes of the current record were left out. */
  #left = 0;
  #cutEntries = 0;
  readonly #cutPlaces: ProblemPlace[] = [];

  constructor({ type, projectId, projects = {}, refusal, ...limits }: RecordRowsOptions) {
    this.#type = type;
    this.#projects = projects;
    this.#refusal = refusal;
    this.#projectId = projectId ?? undefined;
    this.#check = new EntryCheck(limits);
  }

  /** Returns the first fault of a refused record; undefined when its rows are taken. @throws Problem `body_too_large` */
  add(record: Mapped): string | undefined {
    const lines = this.#linesOf(record);
    this.#index += 1;
    if (record.isTimeless === true) this.#isTimed = false;
    if (lines === undefined) {
      this.#rejected += 1;
      return this.#check.firstFault;
    }
    this.#text += lines;
    this.#count += record.rows.length;
    this.#noteCut();
    return undefined;
  }

  #noteCut(): void {
    if (this.#left === 0) return;
    this.#cutEntries += 1;
    const detail = `was cut: ${this.#left} of its attributes are beyond ${ENTRY_KEYS_MAX} keys`;
    if (this.#cutPlaces.length < PROBLEM_PLACES_MAX)
      this.#cutPlaces.push({ pointer: `/entries/${this.#index - 1}`, detail });
  }

  encoded(): EncodedRecords {
    const { places, refused } = this.#check;
    const unknown = this.#unknown.size === 0 ? {} : { unknownProjects: [...this.#unknown] };
    const counts = { count: this.#count, rejected: this.#rejected, isTimed: this.#isTimed, ...unknown };
    const encoded = { rows: Buffer.from(this.#text), errors: places, refused, ...counts };
    if (this.#cutEntries === 0) return encoded;
    return { ...encoded, cut: { entries: this.#cutEntries, places: this.#cutPlaces } };
  }

  /** Returns the record's rows; undefined when it is refused. */
  #linesOf({ rows, faults, project }: Mapped): string | undefined {
    this.#check.begin(this.#index);
    const projectId = project === undefined ? this.#unnamed() : this.#named(project);
    for (const { pointer, detail } of faults) this.#check.fault(pointer, detail);
    if (this.#check.faulty) return undefined;
    let lines = "";
    this.#left = 0;
    for (const row of rows) {
      const line = this.#lineOf(row, projectId);
      if (line === undefined) return undefined;
      this.#bytes += Buffer.byteLength(line);
      if (this.#bytes > OTLP_ROWS_BYTES_MAX) throw tooMuch();
      lines += line;
    }
    return lines;
  }

  /** Returns the id of the project of records that name none. Reports a fault if they must name one. */
  #unnamed(): string | undefined {
    if (this.#refusal !== undefined) this.#check.fault("/resource", this.#refusal, "project");
    return this.#projectId;
  }

  /** Returns the id of a project that a record names. Reports a fault if it can't be used. */
  #named(name: string): string | undefined {
    const project = Object.hasOwn(this.#projects, name) ? this.#projects[name] : undefined;
    if (project !== undefined && "id" in project) return project.id;
    if (project === undefined && this.#unknown.size < UNKNOWN_MAX) this.#unknown.add(name);
    this.#check.fault("/resource", project?.refused ?? "names a project that is not known", "project");
    return undefined;
  }

  #lineOf({ entry, severity, details }: MappedRow, projectId: string | undefined): string | undefined {
    // Begins again for each row, since the limit of keys is for one row.
    this.#check.begin(this.#index);
    const { entry: fitting, left } = withinKeys(entry);
    this.#left = Math.max(this.#left, left);
    const row = ROW_OF[this.#type](fitting, projectId, this.#check);
    if (this.#check.faulty) {
      this.#check.keepSample(entry);
      return undefined;
    }
    const whole = {
      ...row,
      ...(severity === undefined ? {} : { severity }),
      ...(details === undefined ? {} : { attributes: { ...details, ...(fitting["attributes"] as object) } }),
    };
    const line = lineOf(whole, this.#check);
    if (line.length * 3 <= INGEST_ENTRY_BYTES_MAX || Buffer.byteLength(line) <= INGEST_ENTRY_BYTES_MAX) return line;
    this.#check.fault("", `is larger than ${INGEST_ENTRY_BYTES_MAX} bytes together with its resource`, "too_large");
    return undefined;
  }
}

function tooMuch(): Problem {
  const detail = `The records have more than ${OTLP_ROWS_BYTES_MAX} bytes together with their resources. Send fewer at a time.`;
  return new Problem("body_too_large", detail);
}
