import { Problem } from "#kernel/problem.ts";

/** Which unique key a refused row would have broken. */
export interface UniqueViolation {
  table: string;
  columns: readonly string[];
}

/** A statement that SQLite refused. `errcode` is SQLite's extended result code. */
export class SqliteError extends Error {
  readonly code = "ERR_SQLITE_ERROR";
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.name = "SqliteError";
    this.errcode = errcode;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const PG_UNIQUE_VIOLATION = "23505";
const PG_DISK_FULL = "53100";
/** Classes 08 (connections), 53 (resources) and 57 (an operator, a shutdown, a limit on time) of PostgreSQL's errors. */
const PG_UNREACHABLE = /^(08|53|57)/;
/** A lock that was not free in time, and a transaction that the server ended because its node said nothing for too long. */
const PG_WAITED = new Set(["55P03", "25P03", "25P04"]);
/** A serialisation failure and a deadlock: the transaction did nothing, and may do well when it is run again. */
const PG_TRANSIENT = new Set(["40001", "40P01"]);
const PG_QUERY_CANCELED = "57014";
const NETWORK_ERRORS = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOENT",
  "EPIPE",
]);

/** Messages of pg for a connection that it lost, or could not get in time; these errors have no code. */
const CLIENT_LOST =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/;

/** True for every kind of "somebody else holds the database" that SQLite knows; extended codes keep the kind in the low byte. */
export function isBusy(errcode: unknown): boolean {
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}

/** The unique key that an error of either driver is about, or undefined for every other error. */
export function uniqueViolation(error: unknown): UniqueViolation | undefined {
  if (!(error instanceof Error)) return undefined;
  const fields = error as Error & { errcode?: unknown; code?: unknown; constraint?: unknown };
  if (fields.errcode === SQLITE_CONSTRAINT_UNIQUE || fields.errcode === SQLITE_CONSTRAINT_PRIMARYKEY)
    return fromSqlite(error.message);
  if (fields.code === PG_UNIQUE_VIOLATION && typeof fields.constraint === "string")
    return fromConstraint(fields.constraint);
  return undefined;
}

/** True when a row was refused because its key is taken; `columns` narrows it to that key of `table`. */
export function isUniqueViolation(error: unknown, table?: string, columns?: readonly string[]): boolean {
  const found = uniqueViolation(error);
  if (found === undefined) return false;
  if (table !== undefined && found.table !== table) return false;
  return columns === undefined || found.columns.join() === columns.join();
}

/** Names a key so that its table and columns can be read back from PostgreSQL's error, which gives nothing but the name. */
export function constraintName(table: string, columns: readonly string[]): string {
  return [table, ...columns].join("__");
}

/** True when the whole transaction is worth another try at once. */
export function isTransient(error: unknown): boolean {
  return PG_TRANSIENT.has(String((error as { code?: unknown } | null)?.code));
}

/** A read was stopped at its time limit. */
export function readTimeout(timeoutMs: number, cause?: unknown): Problem {
  const detail =
    `The records did not answer within ${timeoutMs} ms, so this read was stopped. ` +
    "Ask for less, by a filter or a smaller page, or try again later.";
  return new Problem("read_timeout", detail, { retryAfterS: 5, cause });
}

/** True when PostgreSQL stopped a statement at its time limit. */
export function isCanceled(error: unknown): boolean {
  return (error as { code?: unknown }).code === PG_QUERY_CANCELED;
}

/**
 * The one place where errors of a database become answers: what passes by itself, or what the operator can mend (no connection, a full disk, a
 * lock that somebody holds). Every other error stays itself, and is a bug.
 */
export function asAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const fields = error as Error & { errcode?: unknown; code?: unknown };
  if (fields.errcode === SQLITE_FULL || fields.code === PG_DISK_FULL) {
    return new Problem("disk_full", "The metadata database has no disk space left. Free some space, then try again.", {
      cause: error,
    });
  }
  if (PG_WAITED.has(String(fields.code)) || isTransient(error)) {
    return new Problem("unavailable", "Other changes hold what this one needs. Try again shortly.", { cause: error });
  }
  if (isBusy(fields.errcode) || isUnreachable(fields.code) || CLIENT_LOST.test(error.message)) {
    return new Problem("unavailable", "The metadata database can't be reached now. Try again shortly.", {
      cause: error,
    });
  }
  return error;
}

function isUnreachable(code: unknown): boolean {
  return typeof code === "string" && ((code.length === 5 && PG_UNREACHABLE.test(code)) || NETWORK_ERRORS.has(code));
}

/** SQLite says `UNIQUE constraint failed: project.org_id, project.slug`. */
function fromSqlite(message: string): UniqueViolation | undefined {
  const places = message.slice(message.indexOf(":") + 1).split(",");
  const parts = places.map((place) => place.trim().split("."));
  const table = parts[0]?.[0];
  return table === undefined ? undefined : { table, columns: parts.map((part) => part[1] ?? "") };
}

function fromConstraint(name: string): UniqueViolation {
  const [table = name, ...columns] = name.split("__");
  return { table, columns };
}
