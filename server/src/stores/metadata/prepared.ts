import type { CompiledQuery, DialectAdapter } from "kysely";
import type { Reader } from "./types.ts";

/** A query whose SQL text is built once. For reads by key, building the text costs more than running it. */
export interface PreparedQuery<P extends readonly unknown[], R> {
  /** Returns the query with these values, for `defer` and `readAhead`. */
  with(db: Reader, ...values: P): CompiledQuery<R>;
  execute(db: Reader, ...values: P): Promise<R[]>;
}

/** A Kysely query, from its builders or from `sql`. */
interface Compiles<R> {
  compile(db: Reader): CompiledQuery<R>;
}

/** A placeholder for a value, or for a column of a row. */
class Place {
  readonly index: number;
  readonly column: string | undefined;

  constructor(index: number, column?: string) {
    this.index = index;
    this.column = column;
  }

  of(values: readonly unknown[]): unknown {
    const value = values[this.index];
    return this.column === undefined ? value : (value as Record<string, unknown>)[this.column];
  }
}

/**
 * Prepares a query.
 * @param build is called once for each open database, with placeholders instead of values (for a row: by column name).
 * It must insert them into the query, and must not read them or build a different text depending on them
 */
export function prepared<P extends readonly unknown[], R>(
  build: (db: Reader, ...values: P) => Compiles<R>,
): PreparedQuery<P, R> {
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<R>>();
  const withValues = (db: Reader, ...values: P): CompiledQuery<R> => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(db, ...(placesFor(build.length - 1) as unknown as P)).compile(db);
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Place ? value.of(values) : value));
    return { ...query, parameters };
  };
  return {
    with: withValues,
    execute: async (db, ...values) => (await db.executeQuery(withValues(db, ...values))).rows,
  };
}

function placesFor(count: number): Place[] {
  return Array.from({ length: count }, (_, index) => {
    const column = (place: Place, name: string | symbol): unknown =>
      typeof name === "symbol" || name in place ? Reflect.get(place, name) : new Place(index, name);
    return new Proxy(new Place(index), { get: column });
  });
}

/** Returns these columns of a row. */
export function columnsOf<T, K extends keyof T>(row: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as unknown as Pick<T, K>;
}
