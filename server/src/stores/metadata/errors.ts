import { Problem } from "#kernel/problem.ts";

/** The unique key that a refused row violates. */
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
export const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const PG_UNIQUE_VIOLATION = "23505";
const PG_DISK_FULL = "53100";
/** Classes of PostgreSQL errors: 08 (connection), 53 (resources), 57 (operator intervention, shutdown, timeout). */
const PG_UNREACHABLE = /^(08|53|57)/;
/** A lock was not free in time, or PostgreSQL ended an idle transaction. */
const PG_WAITED = new Set(["55P03", "25P03", "25P04"]);
/** Serialization failure and deadlock. The transaction changed nothing and can be retried. */
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

/** Messages of pg for a lost connection, or no connection in time. These errors have no code. */
const CLIENT_LOST =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/;

/**
 * Returns whether SQLite says that another connection holds the database. The low byte of an extended code has the
 * kind.
 */
export function isBusy(errcode: unknown): boolean {
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}

/** Returns the unique key that an error of either driver names, or undefined for any other error. */
export function uniqueViolation(error: unknown): UniqueViolation | undefined {
  if (!(error instanceof Error)) return undefined;
  const fields = error as Error & { errcode?: unknown; code?: unknown; constraint?: unknown };
  if (fields.errcode === SQLITE_CONSTRAINT_UNIQUE || fields.errcode === SQLITE_CONSTRAINT_PRIMARYKEY)
    return fromSqlite(error.message);
  if (fields.code === PG_UNIQUE_VIOLATION && typeof fields.constraint === "string")
    return fromConstraint(fields.constraint);
  return undefined;
}

/** Returns whether a row was refused because its key is taken. `columns` limits this to that key of `table`. */
export function isUniqueViolation(error: unknown, table?: string, columns?: readonly string[]): boolean {
  const found = uniqueViolation(error);
  if (found === undefined) return false;
  if (table !== undefined && found.table !== table) return false;
  return columns === undefined || found.columns.join() === columns.join();
}

/** Names a key so that its table and columns can be read from PostgreSQL's error, which contains only the name. */
export function constraintName(table: string, columns: readonly string[]): string {
  return [table, ...columns].join("__");
}

/** Returns whether the whole transaction should be retried at once. */
export function isTransient(error: unknown): boolean {
  return PG_TRANSIENT.has(String((error as { code?: unknown } | null)?.code));
}

/** Returns the error for a read that was stopped at its time limit. */
export function readTimeout(timeoutMs: number, cause?: unknown): Problem {
  const detail =
    `The records did not answer within ${timeoutMs} ms, so this read was stopped. ` +
    "Ask for less, by a filter or a smaller page, or try again later.";
  return new Problem("read_timeout", detail, { retryAfterS: 5, cause });
}

/** Returns whether PostgreSQL stopped a statement at its time limit. */
export function isCanceled(error: unknown): boolean {
  return (error as { code?: unknown }).code === PG_QUERY_CANCELED;
}

/**
 * Turns a database error into an answer if it passes without a change, or the operator can repair it: no connection, a
 * full disk, a held lock. Returns any other error unchanged, since it is a bug.
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
    return new Problem("unavailable", "Other changes have locked rows that this one needs. Try again shortly.", {
      cause: error,
    });
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

/** Parses SQLite's `UNIQUE constraint failed: project.org_id, project.slug`. */
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
