/** The interface of the engine's logger. pino has it. */
export interface QueryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface QueryEngineSettings {
  /** Directory that holds every file of every snapshot; children see it read-only where the system allows. */
  readonly telemetryDir: string;
  /** Directory whose other contents (keys, databases) are hidden from children where the system allows. */
  readonly dataDir?: string;
  /** Queries that run at once, all organizations together. */
  readonly concurrentMax: number;
  /** Queries of one organization that run at once. */
  readonly concurrentPerOrgMax: number;
  /** Queries of one organization that wait for a place. One more is refused with 429. */
  readonly queuePerOrgMax: number;
  /** How long a query waits for a place before it is refused with 429. */
  readonly queueTimeoutMs: number;
  /** Threads of one query. */
  readonly threads: number;
  /** Memory of one query at most; a request may ask for less. The limits of a child's address space follow from it. */
  readonly memoryBytesMax: number;
  /** Bytes of one result at most. */
  readonly resultBytesMax: number;
  /** A reader that takes nothing for so long is cut off. */
  readonly stallTimeoutMs: number;
  /**
   * A result is cut off so long after its query began, however steadily it is read: it holds a place, files, and what its
   * credential might see at the time.
   */
  readonly resultTimeoutMs: number;
  /** Children are replaced after this many queries. */
  readonly queriesPerChildMax: number;
  /** Idle children that are kept, the least recently used go first. */
  readonly idleChildrenMax: number;
  /** An idle child is ended after so long. */
  readonly idleChildMs: number;
  /** Children without an organization that are kept ready. */
  readonly spareChildren: number;
  /** `auto` uses every layer that the system offers; `limits` only the resource limits. */
  readonly isolation: "auto" | "limits";
  /** Whether a statement's own conditions on `timestamp` decide which files it opens. Tests compare. */
  readonly pruning: boolean;
  /** Whether statements are written in faster ways: attributes from columns, `date_trunc` by arithmetic. Tests compare. */
  readonly promotion: boolean;
}

const MIB = 1024 * 1024;

/** Settings for a machine of two cores and 4 GiB. */
export function defaultQuerySettings(telemetryDir: string): QueryEngineSettings {
  return {
    telemetryDir,
    concurrentMax: 8,
    concurrentPerOrgMax: 4,
    queuePerOrgMax: 20, // beside the slot that is kept for others, as many as before may come at once
    queueTimeoutMs: 10_000,
    threads: 2,
    memoryBytesMax: 512 * MIB,
    resultBytesMax: 2048 * MIB,
    stallTimeoutMs: 30_000,
    resultTimeoutMs: 30 * 60_000,
    queriesPerChildMax: 200,
    idleChildrenMax: 4,
    idleChildMs: 60_000,
    spareChildren: 1,
    isolation: "auto",
    pruning: true,
    promotion: true,
  };
}

/** Expressions and nodes nested in a statement. */
export const SQL_DEPTH_MAX = 200;
/** Nodes of a statement's syntax tree. */
export const SQL_NODES_MAX = 20_000;
/** Columns of a result. */
export const RESULT_COLUMNS_MAX = 1000;
/** One row of a result as text. */
export const RESULT_ROW_BYTES_MAX = 16 * MIB;
/** One hot row as NDJSON. An entry has at most 256 KiB when it comes in; DuckDB takes buffers of twice this for each thread. */
export const HOT_ROW_BYTES_MAX = 4 * MIB;
/** The bytes that the child keeps back before it sends any, so that most errors are still a clean answer. */
export const HOLD_BACK_BYTES = MIB;
/** A block of rows on its way to the main process; one block is at most this and one row. */
export const BLOCK_BYTES = 128 * 1024;
/** Literal counts in functions that make long strings or lists, such as `repeat`. */
export const LITERAL_COUNT_MAX = 10_000;
/** Time between a failed interrupt and SIGKILL. */
export const KILL_GRACE_MS = 500;
/**
 * Data segment (RLIMIT_DATA, which counts reservations too) that a child may have between queries: 680 MiB when it starts,
 * 970 MiB after some hundred queries, of which 140 MiB are resident. One that has more is replaced.
 */
export const CHILD_BASE_BYTES = 1024 * MIB;
/** Resident memory of a child before a query starts, with room. */
export const CHILD_RESIDENT_BYTES = 200 * MIB;
/** Heap of the child's JavaScript, in MiB. */
export const CHILD_HEAP_MIB = 128;
