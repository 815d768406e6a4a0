import { Pool, types, type ClientConfig, type CustomTypesConfig, type PoolClient } from "pg";
import { Problem } from "#kernel/problem.ts";
import { waitBudget, type WaitBudget } from "#kernel/wait-budget.ts";
import { asAnswer, isCanceled, isTransient, readTimeout } from "../errors.ts";
import { publishRead } from "../observed.ts";
import type { Waits } from "../waits.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_MS = 30_000;
/**
 * PostgreSQL stops a statement at its limit and reports that. If it does not, this node stops waiting after this
 * additional time.
 */
const STATEMENT_GRACE_MS = 1_000;
/** A statement that took more than this share of `lockMs` counts as one that waited for a lock. */
const WAITED_SHARE = 0.2;
const INT8 = 20;
const BYTEA = 17;
const NUMERIC = 1700;

/** Makes values equal to SQLite's: numbers for integers and their sums, plain bytes for bytes. */
const VALUES: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const parse = types.getTypeParser(oid, format) as (text: string) => unknown;
    if (oid === INT8) return parseInteger;
    if (oid === NUMERIC) return Number;
    if (oid === BYTEA) return (text: string) => new Uint8Array(parse(text) as Buffer);
    return parse;
  },
};

/** Returns the settings of every connection. */
export function clientSettings(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: VALUES,
  };
}

type PoolWaits = Pick<Waits, "connectionMs" | "lockMs" | "requestMs" | "silenceMs" | "transactionMs">;

export interface PoolOptions {
  url: string;
  connectionsMax: number;
  /** Makes PostgreSQL refuse every change. */
  readOnly: boolean;
  /** A `lockMs` of 0 means no limit. */
  waits: PoolWaits;
}

export interface StatementOutcome {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** A connection of the pool until its release. */
export interface PooledConnection {
  query(statement: string, parameters: readonly unknown[]): Promise<StatementOutcome>;
  /** Closes the connection at once, so a running statement rejects. `release` must follow. */
  destroy(): void;
  release(): void;
}

export interface ConnectionPool {
  /** @throws Problem `unavailable` when no connection is free in time */
  connect(): Promise<PooledConnection>;
  end(): Promise<void>;
}

/**
 * Opens a pool that creates connections when they are needed. PostgreSQL enforces the limits, so they still hold if
 * this process dies.
 */
export function openPool({ url, connectionsMax, readOnly, waits }: PoolOptions): ConnectionPool {
  const pool = new Pool({
    ...clientSettings(url, "mooring"),
    max: connectionsMax,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it, but its types don't say so
    onConnect: (client) => limitSession(client, { readOnly, waits }),
  });
  // An idle connection that breaks emits an event, which would end the process without a listener. The pool replaces
  // the connection, and the next statement on it fails.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const acquisition = new Acquisition(pool, waits);
  return {
    connect: async () => {
      const budget = waitBudget();
      return pooled(await acquisition.next(budget), { readOnly, waits, budget });
    },
    end: () => pool.end(),
  };
}

/**
 * Sets the limits of a session. As parameters of the connection, poolers would refuse or ignore them. PostgreSQL also
 * checks whether its client still exists: while it runs a statement (the node was killed while it waited for a lock), and
 * while it sends rows (a disconnected client reads none). Skips checks that the server's version or platform does not have.
 */
async function limitSession(
  client: { query(text: string): Promise<unknown> },
  { readOnly, waits }: Pick<PoolOptions, "readOnly" | "waits">,
): Promise<void> {
  const { silenceMs } = waits;
  const seconds = Math.max(1, Math.floor(silenceMs / 1000));
  const limits = toStatements({
    statement_timeout: waits.transactionMs,
    lock_timeout: waits.lockMs,
    idle_in_transaction_session_timeout: silenceMs,
    default_transaction_read_only: readOnly ? "on" : "off",
  });
  const checks = toStatements({
    client_connection_check_interval: Math.min(1_000, silenceMs),
    tcp_user_timeout: silenceMs,
    tcp_keepalives_idle: seconds,
    tcp_keepalives_interval: seconds,
    tcp_keepalives_count: 2,
  });
  const isSet = (text: string): Promise<boolean> =>
    client.query(text).then(
      () => true,
      (error: unknown) => {
        if (isNotSettable(error)) return false;
        throw error;
      },
    );
  // One message for all, unless PostgreSQL refuses one of them.
  if (await isSet([...limits, ...checks].join("; "))) return;
  await client.query(limits.join("; "));
  for (const one of checks) await isSet(one);
}

function toStatements(settings: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
}

/**
 * Recognizes `undefined_object`, `invalid_parameter_value`, `cant_change_runtime_param` and `feature_not_supported`.
 */
function isNotSettable(error: unknown): boolean {
  return ["42704", "22023", "55P02", "0A000"].includes(String((error as { code?: unknown }).code));
}

/**
 * Hands out connections. Refuses a caller that has waited too long; a connection that arrives later goes to the next
 * caller.
 */
class Acquisition {
  readonly #pool: Pool;
  readonly #waits: PoolWaits;
  /** Connections that are being opened. Opening may be slow, and does not mean that there is too much work. */
  #making = 0;

  constructor(pool: Pool, waits: PoolWaits) {
    this.#pool = pool;
    this.#waits = waits;
  }

  async next(budget: WaitBudget): Promise<PoolClient> {
    const beganMs = performance.now();
    const leftMs = Math.max(1, this.#waits.requestMs - budget.spentMs());
    const limitMs = Math.min(this.#waits.connectionMs, leftMs);
    const pending = this.#connect();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setInterval(() => {
      const waitedMs = performance.now() - beganMs;
      if (this.#making > 0 && waitedMs < leftMs) return;
      clearInterval(timer);
      pending.then(
        (client) => client.release(),
        () => {},
      );
      reject(tooManyWait(limitMs));
    }, limitMs);
    try {
      return await Promise.race([pending, late]);
    } catch (error) {
      return rethrow(error, false);
    } finally {
      clearInterval(timer);
      budget.spend(performance.now() - beganMs);
    }
  }

  async #connect(): Promise<PoolClient> {
    const { idleCount, totalCount, options } = this.#pool;
    if (idleCount > 0 || totalCount >= options.max) return this.#pool.connect();
    this.#making += 1;
    try {
      return await this.#pool.connect();
    } finally {
      this.#making -= 1;
    }
  }
}

function tooManyWait(limitMs: number): Problem {
  const cause = new Error(`no connection to the metadata database, or no lock in it, was free within ${limitMs} ms`);
  return new Problem("unavailable", "Too many changes are waiting for the metadata database. Try again shortly.", {
    cause,
  });
}

interface UseOptions {
  readonly readOnly: boolean;
  readonly waits: PoolWaits;
  readonly budget: WaitBudget;
}

function pooled(client: PoolClient, { readOnly, waits, budget }: UseOptions): PooledConnection {
  let isBroken = false;
  const destroy = (): void => {
    isBroken = true;
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  };
  const limitMs = waits.transactionMs + STATEMENT_GRACE_MS;
  const locks = new LockWaits(client, waits, budget);
  return {
    query: async (statement, parameters) => {
      if (readOnly) publishRead(statement, parameters);
      const timer = setTimeout(destroy, limitMs);
      try {
        const run = (): Promise<StatementOutcome> => client.query(statement, parameters.map(storable));
        return await (readOnly ? run() : locks.measure(statement, run));
      } catch (error) {
        // The retry code handles errors that a retry of the whole transaction can fix.
        if (readOnly && isCanceled(error)) throw readTimeout(waits.transactionMs, error);
        return rethrow(error, !readOnly && isTransient(error));
      } finally {
        clearTimeout(timer);
      }
    },
    destroy,
    release: () => client.release(isBroken),
  };
}

/** Statements that never wait for a lock of another transaction, and must always run. */
const BOUNDS = new Set(["begin", "commit", "rollback"]);

/**
 * PostgreSQL limits each wait for a lock separately. This class lowers the limit of later waits, so that all waits of a
 * request together keep within one limit.
 */
class LockWaits {
  readonly #client: PoolClient;
  readonly #waits: PoolWaits;
  readonly #budget: WaitBudget;

  constructor(client: PoolClient, waits: PoolWaits, budget: WaitBudget) {
    this.#client = client;
    this.#waits = waits;
    this.#budget = budget;
  }

  async measure(statement: string, run: () => Promise<StatementOutcome>): Promise<StatementOutcome> {
    const { lockMs } = this.#waits;
    if (BOUNDS.has(statement) || lockMs === 0) return run();
    await this.#limit();
    const beganMs = performance.now();
    try {
      return await run();
    } finally {
      const tookMs = performance.now() - beganMs;
      if (tookMs >= lockMs * WAITED_SHARE) this.#budget.spend(tookMs);
    }
  }

  /** Sends nothing unless the waits so far would let the next wait exceed the limit. */
  async #limit(): Promise<void> {
    const { requestMs, lockMs } = this.#waits;
    const leftMs = requestMs - this.#budget.spentMs();
    if (leftMs >= lockMs) return;
    if (leftMs < 1) throw tooManyWait(requestMs);
    await this.#client.query(`set local lock_timeout = ${Math.floor(leftMs)}`);
  }
}

/** Replaces NUL, which PostgreSQL's text cannot hold. So a client's text with NUL matches nothing, as in SQLite. */
function storable(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}

/** Removes `detail` and `where`, in which PostgreSQL repeats values of the refused row. They must not reach a log. */
function rethrow(error: unknown, asItIs: boolean): never {
  if (error instanceof Error) {
    for (const field of ["detail", "where", "internalQuery"]) Reflect.deleteProperty(error, field);
  }
  throw asItIs ? error : asAnswer(error);
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("cannot read an integer from the database: it is 2^53 or more");
  return value;
}
