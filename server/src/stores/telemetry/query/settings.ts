/** The interface of the engine's logger. A pino logger has it. */
export interface QueryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface QueryEngineSettings {
  /** The directory with every file of every snapshot. Children see it read-only where the system allows this. */
  readonly telemetryDir: string;
  /** A directory whose other contents (keys, databases) are hidden from children where the system allows this. */
  readonly dataDir?: string;
  /** The most queries that run at once, of all organizations. */
  readonly concurrentMax: number;
  /** The most queries of one organization that run at once. */
  readonly concurrentPerOrgMax: number;
  /** The most queries of one credential or person that run at once. Null: half of the slots that an organization can have. */
  readonly concurrentPerActorMax: number | null;
  /** The most queries of one organization that wait for a slot. More are refused with 429. */
  readonly queuePerOrgMax: number;
  /** The most queries of one credential or person that wait for a slot. More are refused with 429. */
  readonly queuePerActorMax: number;
  /** How long a query waits for a slot before it is refused with 429. */
  readonly queueTimeoutMs: number;
  /** The most bytes of the files that one statement opens. Null: no limit. */
  readonly scanBytesMax: number | null;
  /** The most bytes that one credential, person or alert reads in a day. Null: no limit. */
  readonly scanBytesPerDayMax: number | null;
  /** Threads of one query. It gets one thread while other queries need the processor. */
  readonly threads: number;
  /** The most memory of one query. A request may ask for less. The limit of a child's data segment is derived from it. */
  readonly memoryBytesMax: number;
  /** The most bytes of one result. */
  readonly resultBytesMax: number;
  /** A reader that takes nothing for this long is disconnected. */
  readonly stallTimeoutMs: number;
  /**
   * A result is ended this long after its query began, even if it is read steadily. It holds a slot and files, and shows
   * what its credential was allowed to see at the beginning.
   */
  readonly resultTimeoutMs: number;
  /** Children are replaced after this many queries. */
  readonly queriesPerChildMax: number;
  /** The most idle children. The least recently used ones are ended first. */
  readonly idleChildrenMax: number;
  /** An idle child is ended after this time, and spare children after this time without queries. */
  readonly idleChildMs: number;
  /** The number of children without an organization that are kept ready. */
  readonly spareChildren: number;
  /** `auto` uses every layer that the system offers. `limits` uses only the resource limits. */
  readonly isolation: "auto" | "limits";
  /** Whether a statement's own conditions on `timestamp` select its files. Tests turn this off to compare results. */
  readonly pruning: boolean;
  /**
   * Whether statements are rewritten to faster forms: attributes from columns, `date_trunc` by arithmetic. Tests turn this
   * off to compare results.
   */
  readonly promotion: boolean;
}

const MIB = 1024 * 1024;

/** Returns settings for a machine with two cores and 4 GiB. */
export function defaultQuerySettings(telemetryDir: string): QueryEngineSettings {
  return {
    telemetryDir,
    concurrentMax: 8,
    concurrentPerOrgMax: 4,
    concurrentPerActorMax: null,
    queuePerOrgMax: 32,
    queuePerActorMax: 16,
    queueTimeoutMs: 10_000,
    scanBytesMax: 64 * 1024 * MIB,
    scanBytesPerDayMax: null,
    threads: 2,
    memoryBytesMax: 512 * MIB,
    resultBytesMax: 2048 * MIB,
    stallTimeoutMs: 30_000,
    resultTimeoutMs: 30 * 60_000,
    queriesPerChildMax: 200,
    idleChildrenMax: 4,
    idleChildMs: 45_000,
    spareChildren: 1,
    isolation: "auto",
    pruning: true,
    promotion: true,
  };
}

/** How long a query that nobody waits for may wait for a slot, for example of an alert. */
export const BACKGROUND_WAIT_MS = 60_000;
/** The most levels of nested expressions and nodes in a statement. */
export const SQL_DEPTH_MAX = 200;
/** The most nodes of a statement's syntax tree. */
export const SQL_NODES_MAX = 20_000;
/** The most columns of a result. */
export const RESULT_COLUMNS_MAX = 1000;
/** The longest row of a result as text. */
export const RESULT_ROW_BYTES_MAX = 16 * MIB;
/**
 * The longest hot row as NDJSON. An accepted entry has at most 256 KiB. DuckDB uses buffers of twice this size for each
 * thread.
 */
export const HOT_ROW_BYTES_MAX = 4 * MIB;
/** The child holds back this many bytes before it sends any, so that most errors are still a plain answer. */
export const HOLD_BACK_BYTES = MIB;
/** The size of a block of rows for the main process. A block may exceed it by one row. */
export const BLOCK_BYTES = 128 * 1024;
/** The largest literal count in functions that make long strings or lists, for example `repeat`. */
export const LITERAL_COUNT_MAX = 10_000;
/** The time between a failed interrupt and SIGKILL. */
export const KILL_GRACE_MS = 500;
/**
 * The most data segment (RLIMIT_DATA, which also counts reservations) of a child between queries. A child has 680 MiB when
 * it starts, and 970 MiB after some hundred queries, 140 MiB of them resident. A child with more is replaced.
 */
export const CHILD_BASE_BYTES = 1024 * MIB;
/** The resident memory of a child before a query starts, with a margin. */
export const CHILD_RESIDENT_BYTES = 200 * MIB;
/** The heap of the child's JavaScript, in MiB. */
export const CHILD_HEAP_MIB = 128;
