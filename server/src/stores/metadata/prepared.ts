import type { CompiledQuery, DialectAdapter } from "kysely";
import type { Reader } from "./types.ts";

/** A query whose text is made once: to make it costs more than to run it, where rows are found by their keys. */
export interface PreparedQuery<P extends readonly unknown[], R> {
  /** The query with these values, for `defer` and `readAhead`. */
  with(db: Reader, ...values: P): CompiledQuery<R>;
  execute(db: Reader, ...values: P): Promise<R[]>;
}

/** A query of Kysely, of its builders or of `sql`. */
interface Compiles<R> {
  compile(db: Reader): CompiledQuery<R>;
}

/** Stands for a value, or for a column of one that is a row. */
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
 * @param build is called once for each open database, with placeholders for the values: it inserts each, or a row's
 *   columns by their names, where a value goes, and must not read them, or build another text for other values
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

/** These columns of a row. */
export function columnsOf<T, K extends keyof T>(row: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as unknown as Pick<T, K>;
}
