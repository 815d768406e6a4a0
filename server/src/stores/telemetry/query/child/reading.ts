import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { TimeRange } from "../../snapshot.ts";
import { originOf, readTree, render, withoutMarks, type Admitted, type Evaluate, type Tree } from "../gate/index.ts";
import { hasHiddenRows, type ChildAsk, type ChildFiles, type ChildQuery } from "../protocol.ts";
import { QUERY_TABLES } from "../tables.ts";
import { within } from "../files.ts";
import { Failure, toFailure } from "./failure.ts";
import { BEGIN, lock } from "./instance.ts";
import { boundStatement, latestRows, newestFiles, since, type LatestRows } from "./latest/index.ts";
import { macroStatements } from "./macros.ts";
import { bindNamed } from "./parameters.ts";
import { fillPivots } from "./pivots.ts";
import { PromotedAttributes } from "./promoted.ts";
import { timeConditions } from "./prune/conditions.ts";
import { equalities } from "./prune/equalities.ts";
import { timeRanges } from "./prune/ranges.ts";
import { truncateByArithmetic } from "./truncation.ts";
import { ATTRIBUTES, promotedKeys, promotedStatements, promotedView, viewFiles, viewStatements } from "./views.ts";

const EXPLAIN = { plan: "EXPLAIN (FORMAT json) ", analyze: "EXPLAIN (ANALYZE, FORMAT json) " } as const;
const TABLE_NAMES: ReadonlySet<string> = new Set(QUERY_TABLES.map(({ name }) => name));
const WITH_ATTRIBUTES: ReadonlySet<string> = new Set(
  QUERY_TABLES.filter(({ columns }) => columns.some(({ name }) => name === ATTRIBUTES)).map(({ name }) => name),
);

/** Returns the statements that create a query's tables over files. */
type MakeViews = (files: ChildFiles) => string[];

/** Prepares an admitted statement for its files: finds the tables to read, creates views, and rewrites the text. */
export class Reading {
  readonly #admitted: Admitted;
  readonly #query: ChildQuery;
  readonly #connection: DuckDBConnection;
  readonly #evaluate: Evaluate;
  readonly #tree: Tree;
  readonly #promoted: PromotedAttributes | undefined;
  readonly #latest: LatestRows | undefined;
  #ranges: ReadonlyMap<string, TimeRange> = new Map();
  #sql: string;
  /** Trees before and after each rendering. The first pair begins with the sent statement. */
  #steps: readonly (readonly [source: string, rendered: string])[];
  #views: readonly string[] = [];
  /** The statements that create the additional functions. */
  readonly #macros: readonly string[];

  constructor(admitted: Admitted, query: ChildQuery, connection: DuckDBConnection, evaluate: Evaluate) {
    this.#admitted = admitted;
    this.#query = query;
    this.#connection = connection;
    this.#evaluate = evaluate;
    this.#sql = admitted.sql;
    this.#steps = [[admitted.source, admitted.tree]];
    this.#tree = readTree(admitted, TABLE_NAMES);
    this.#macros = macroStatements(this.#tree.statement);
    // The values of a PIVOT come from the rows that it reads, so it is not rewritten.
    if (admitted.pivots !== undefined) return;
    if (query.promotion) this.#promoted = new PromotedAttributes(this.#tree, WITH_ATTRIBUTES);
    if (query.pruning && query.describe !== true && query.explain !== "plan") this.#latest = latestRows(this.#tree);
  }

  /** Returns the files to request from the store. Call it in the transaction in which the statement will run. */
  async ask(): Promise<ChildAsk> {
    if (this.#query.pruning) this.#ranges = await this.#findRanges();
    const keys = this.#promoted?.keys();
    const tables = [...this.#admitted.tables].map((name) => [
      name,
      {
        ...this.#ranges.get(name),
        keys: keys?.get(name) ?? [],
        latest: this.#latest?.table === name ? this.#latest.count : undefined,
      },
    ]);
    return { tables: Object.fromEntries(tables) as ChildAsk["tables"] };
  }

  /**
   * Creates the tables, locks the instance, and prepares the statement.
   * @throws Failure `unavailable` when a file can't be opened; or the failure of preparing the statement
   */
  async prepare(present: ChildFiles): Promise<DuckDBPreparedStatement> {
    const files = this.#narrowed(present);
    const plain: MakeViews = (of) => viewStatements(of, this.#admitted.tables);
    const make = (await this.#rewrite(files).catch(() => undefined)) ?? plain;
    const newest = this.#latest && newestFiles(files, this.#latest, this.#ranges.get(this.#latest.table) ?? {});
    this.#views = make(newest ?? files);
    try {
      const memoryBytes = this.#query.memoryBytesMax;
      await lock(this.#connection, {
        views: [...this.#withoutStatistics(files), ...this.#macros, ...this.#views],
        files: viewFiles(files),
        memoryBytes,
      });
    } catch (error) {
      throw toStoreFailure(error);
    }
    let read = files;
    if (this.#latest !== undefined && newest !== undefined) {
      read = await this.#narrow(files, this.#latest);
      this.#views = make(read);
      await this.#makeViews();
    }
    if (this.#admitted.pivots !== undefined && this.#query.describe !== true) await this.#fillPivots();
    if (make === plain) return this.#prepare();
    try {
      return await this.#prepare();
    } catch {
      // The original text may still work. If not, its errors must quote the original text.
      this.#views = plain(read);
      this.#sql = this.#admitted.sql;
      this.#steps = this.#steps.slice(0, 1);
      return this.#layOut().catch(() => this.again()); // a failed bind does not end the transaction
    }
  }

  /**
   * When a caller may see only some rows, conditions do not reach the files (see `BARRIER`). So this adds the statement's
   * time range and its `trace_id` or `span_id` to the views. It does not add the ids for `analyze`, because the counts in
   * the plan would show whether a hidden row has them.
   */
  #narrowed(files: ChildFiles): ChildFiles {
    if (!hasHiddenRows(files)) return files;
    const { pruning, explain, parameters } = this.#query;
    const { statement, references } = this.#tree;
    const equal = pruning && explain !== "analyze" ? equalities(statement, references, parameters) : undefined;
    const tables = Object.entries(files.tables).map(([name, table]) => [
      name,
      { ...table, range: within(table.range, this.#ranges.get(name) ?? {}), equal: equal?.get(name) ?? [] },
    ]);
    return { ...files, tables: Object.fromEntries(tables) as ChildFiles["tables"] };
  }

  /** Returns the statements that hide the statistics of files, which a plan would show. */
  #withoutStatistics(files: ChildFiles): readonly string[] {
    if (!hasHiddenRows(files) || this.#query.explain === undefined) return [];
    return ["SET disabled_optimizers = 'statistics_propagation'"];
  }

  /** Maps an offset in the prepared statement to the sent statement. */
  originOf(at: number): number | undefined {
    const { explain } = this.#query;
    let place: number | undefined = at - (explain === undefined ? 0 : EXPLAIN[explain].length);
    for (const [source, rendered] of this.#steps.toReversed())
      place = place === undefined ? undefined : originOf(JSON.parse(source), JSON.parse(rendered), place);
    return place === undefined ? undefined : withoutMarks(place, this.#admitted.pivots ?? []);
  }

  async #fillPivots(): Promise<void> {
    const fill = { query: this.#query, tables: TABLE_NAMES, connection: this.#connection, evaluate: this.#evaluate };
    try {
      await fillPivots(this.#tree, fill);
    } catch (error) {
      const { code, message, doubt } = toFailure(error, undefined, 0);
      throw new Failure(code, message, doubt); // the place belongs to another statement
    }
    const source = this.#tree.write();
    const rendered = await render(source, TABLE_NAMES, this.#evaluate);
    this.#sql = rendered.sql;
    this.#steps = [...this.#steps, [source, rendered.tree]];
  }

  /** Creates the tables again, in another transaction, and prepares the statement. */
  async again(): Promise<DuckDBPreparedStatement> {
    await this.#connection.run("ROLLBACK");
    await this.#connection.run(BEGIN);
    return this.#layOut();
  }

  async #layOut(): Promise<DuckDBPreparedStatement> {
    await this.#makeViews();
    return this.#prepare();
  }

  async #makeViews(): Promise<void> {
    const statements = [...this.#macros, ...this.#views];
    if (statements.length > 0) await this.#connection.run(statements.join("; "));
  }

  /**
   * Leaves out files older than the newest rows that the statement needs, if the views have enough rows. The search is fast:
   * it reads one column and the columns of the conditions.
   */
  async #narrow(files: ChildFiles, latest: LatestRows): Promise<ChildFiles> {
    const bound = boundStatement(latest, this.#evaluate).then((sql) => this.#connection.prepare(sql));
    const statement = await bound.catch(() => undefined); // a failed bind does not end the transaction
    if (statement === undefined) return files;
    try {
      bindNamed(statement, this.#query.parameters);
      const us = (await statement.runAndReadAll()).getRows()[0]?.[0];
      const isBound = typeof us === "bigint" && Number.isSafeInteger(Number(us));
      return isBound ? since(files, latest.table, Number(us), { hot: true }) : files;
    } catch {
      // The statement itself will report this failure.
      await this.#connection.run("ROLLBACK");
      await this.#connection.run(BEGIN);
      return files;
    }
  }

  /** The gate does not accept EXPLAIN, so it is added after the statement was admitted. */
  #prepare(): Promise<DuckDBPreparedStatement> {
    const { explain } = this.#query;
    return this.#connection.prepare(`${explain === undefined ? "" : EXPLAIN[explain]}${this.#sql}`);
  }

  async #findRanges(): Promise<Map<string, TimeRange>> {
    const conditions = timeConditions(this.#tree.statement, this.#tree.references);
    try {
      return await timeRanges(conditions, this.#query, this.#connection, this.#evaluate);
    } catch {
      // The statement will report an invalid bound. Until then its times are unknown.
      await this.#connection.run("ROLLBACK");
      await this.#connection.run(BEGIN);
      return new Map();
    }
  }

  /**
   * Rewrites the statement to a faster form, see `truncation.ts` and `promoted.ts`.
   * @returns the views for it, or undefined when there is no faster form
   */
  async #rewrite(files: ChildFiles): Promise<MakeViews | undefined> {
    const columns = new Map(Object.entries(files.tables).map(([name, table]) => [name, promotedKeys(table)]));
    if (this.#promoted === undefined) return undefined;
    const truncated = await truncateByArithmetic(this.#tree, this.#evaluate);
    const hasColumns = [...columns.values()].some((keys) => keys.length > 0);
    const promoted = hasColumns ? await this.#promoted.apply(columns, this.#evaluate) : new Set<string>();
    if (!truncated && promoted.size === 0) return undefined;
    const views = new Set([...promoted].map(promotedView));
    const tables = new Set([...TABLE_NAMES, ...views]);
    const source = this.#tree.write();
    const rendered = await render(source, tables, this.#evaluate);
    this.#sql = rendered.sql;
    this.#steps = [...this.#steps, [source, rendered.tree]];
    const plain = [...this.#tree.references].filter(([node]) => !views.has(String(node["table_name"])));
    const names = new Set(plain.map(([, table]) => table));
    return (of) => [...viewStatements(of, names), ...promotedStatements(of, promoted, columns)];
  }
}

/** While the tables are created, any error of the engine is the store's fault. */
function toStoreFailure(error: unknown): Failure {
  const failure = toFailure(error, undefined, 0);
  if (failure.code === "query_memory") return failure;
  return new Failure(
    "unavailable",
    "the stored data could not be opened; try again, and tell the operator if this continues",
  );
}
