import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import type { TextPosition } from "#kernel/problem.ts";
import type { StatementDescription } from "../../types.ts";
import { RESULT_COLUMNS_MAX } from "../settings.ts";
import { FRAME } from "../frames.ts";
import { admit, explained, isCompared, type Admitted, type Evaluate } from "../gate/index.ts";
import {
  NO_FIGURES,
  type ChildAsk,
  type ChildEnd,
  type ChildFailure,
  type ChildFiles,
  type ChildQuery,
} from "../protocol.ts";
import { scrub, type ScrubOptions } from "../scrub.ts";
import { QUERY_TABLES } from "../tables.ts";
import type { Channel } from "./channel.ts";
import { Deadline } from "../deadline.ts";
import { admitCondition, conditionPrefix } from "./condition.ts";
import { CANCELLED, Failure, toFailure, type Stop } from "./failure.ts";
import { begin, type Instance } from "./instance.ts";
import { columnsOf, distinctNames, makeWriter, type ResultWriter } from "./output/index.ts";
import { planLines, readPlan, type PlanStep } from "./plan.ts";
import { statisticsText } from "../tails.ts";
import { bindParameters, parameterNames } from "./parameters.ts";
import { Reading } from "./reading.ts";
import { BlockSender } from "./sender.ts";

const INTERRUPT_EVERY_MS = 20;
const TABLE_NAMES: ReadonlySet<string> = new Set(QUERY_TABLES.map(({ name }) => name));

const NO_FILES: ChildFiles = { directory: "/", visible: "all", tables: {}, figures: NO_FIGURES };

/** The last frame of a query: `end` or `fail`. */
export interface LastFrame {
  readonly kind: number;
  readonly payload: string;
}

/** One query in a child, from its text to its last frame. */
export class Session {
  readonly #query: ChildQuery;
  /** True if the statement begins with EXPLAIN. The plan is then the rows of the result. */
  readonly #asRows: boolean;
  readonly #connection: DuckDBConnection;
  readonly #evaluate: Evaluate;
  readonly #startedMs = performance.now();
  readonly #deadline: Deadline;
  readonly #channel: Channel;
  readonly #sender: BlockSender;
  readonly #supplied = Promise.withResolvers<ChildFiles>();
  #files: ChildFiles = NO_FILES;
  #stop: Stop;
  #interrupts: NodeJS.Timeout | undefined;
  #writer: ResultWriter | undefined;
  #rows = 0;
  #admitted: Admitted | undefined;
  /** The rendered text, if the statement is a condition. */
  #condition: string | undefined;
  #reading: Reading | undefined;

  constructor(query: ChildQuery, channel: Channel, instance: Instance, evaluate: Evaluate) {
    const asked = query.explain === undefined ? explained(query.sql) : undefined;
    this.#query = asked === undefined ? query : { ...query, ...asked };
    this.#asRows = asked !== undefined;
    this.#channel = channel;
    this.#connection = instance.connection;
    this.#evaluate = evaluate;
    // Started before preparing, because preparing already evaluates constants.
    this.#deadline = new Deadline(query.timeoutMs, () => {
      this.stop("timeout");
    });
    this.#supplied.promise.catch(() => undefined); // its caller reports the error
    this.#sender = new BlockSender(channel, this.#deadline, query.resultBytesMax);
  }

  /** Stops the query as soon as the engine reacts. An interrupt between two steps is lost, so it is repeated. */
  stop(why: Exclude<Stop, undefined>): void {
    this.#stop ??= why;
    this.#supplied.reject(new Failure("query_cancelled", CANCELLED));
    this.#connection.interrupt();
    this.#interrupts ??= setInterval(() => {
      this.#connection.interrupt();
    }, INTERRUPT_EVERY_MS);
  }

  /**
   * Runs the query and sends its rows. Never throws.
   * @returns the last frame, which the caller must send
   */
  async run(): Promise<LastFrame> {
    try {
      const truncated = await this.#produce();
      return await this.#finish(truncated);
    } catch (error) {
      const failure = toFailure(error, this.#stop, this.#query.timeoutMs);
      return await this.#fail(this.#stop === undefined ? advised(failure, this.#adviceOn(failure)) : failure);
    } finally {
      this.#deadline.pause();
      clearInterval(this.#interrupts);
    }
  }

  /** Receives the requested files. */
  supply(files: ChildFiles): void {
    this.#supplied.resolve(files);
  }

  async #produce(): Promise<boolean> {
    const admitted = await this.#admit();
    this.#admitted = admitted;
    this.#check();
    // Everything is in one transaction, so that now() is the same moment throughout. The views are temporary. See also
    // #confirmEnd.
    await begin(this.#connection, this.#query);
    const reading = new Reading(admitted, this.#query, this.#connection, this.#evaluate);
    this.#reading = reading;
    if (admitted.tables.size > 0) this.#files = await this.#ask(await reading.ask());
    this.#check();
    const statement = await reading.prepare(this.#files);
    this.#check();
    if (this.#query.describe) return this.#describe(statement);
    bindParameters(statement, this.#query.parameters);
    if (this.#query.explain === undefined) return this.#stream(statement, reading);
    return this.#asRows ? this.#explainRows(statement, reading) : this.#explain(statement);
  }

  async #admit(): Promise<Admitted> {
    const { sql, condition } = this.#query;
    if (condition === undefined) return admit(sql, TABLE_NAMES, this.#evaluate);
    const table = QUERY_TABLES.find(({ name }) => name === condition.table);
    if (table === undefined) throw new Error("cannot check a condition: there is no such table");
    const made = await admitCondition(sql, { table, nowMs: condition.nowMs }, this.#evaluate);
    this.#condition = made.sql;
    return made.admitted;
  }

  /** Asks the main process for the files of the statement. */
  async #ask(ask: ChildAsk): Promise<ChildFiles> {
    this.#check();
    await this.#channel.send(FRAME.ask, JSON.stringify(ask));
    return this.#supplied.promise;
  }

  /** The statement was admitted and prepared, so it can run. */
  #describe(statement: DuckDBPreparedStatement): boolean {
    const description: StatementDescription = { parameters: parameterNames(statement), condition: this.#condition };
    this.#sender.add(JSON.stringify(description));
    return false;
  }

  /** Returns one row with the kind of plan and the plan. */
  async #explain(statement: DuckDBPreparedStatement): Promise<boolean> {
    const plan = await this.#planOf(statement);
    this.#sender.add(
      `{"plan":${JSON.stringify(plan)},"statistics":${statisticsText(this.#elapsedMs(), this.#files.figures)}}\n`,
    );
    return false;
  }

  /** Returns a row for each line of the plan. */
  async #explainRows(statement: DuckDBPreparedStatement, reading: Reading): Promise<boolean> {
    const lines = planLines(await this.#planOf(statement));
    const shown = await this.#connection.prepare("SELECT unnest(string_split($1, chr(10))) AS plan");
    shown.bindVarchar(1, lines.join("\n"));
    return this.#stream(shown, reading);
  }

  async #planOf(statement: DuckDBPreparedStatement): Promise<PlanStep | null> {
    const [row] = (await statement.runAndReadAll()).getRows();
    this.#check();
    return readPlan(String(row?.[1]), (text) => scrub(text, this.#scrubbing()));
  }

  async #stream(statement: DuckDBPreparedStatement, reading: Reading): Promise<boolean> {
    const result = await statement.stream();
    const writer = this.#open(result);
    for (;;) {
      this.#check();
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) {
        await this.#confirmEnd(reading);
        return false;
      }
      const vectors = columnsOf(chunk);
      for (let i = 0; i < chunk.rowCount; i++) {
        if (this.#rows >= this.#query.rowsMax) return this.#tooMany();
        const full = this.#sender.add(writer.row(vectors, i, this.#rows === 0));
        this.#rows++;
        if (full) await this.#sender.flush();
      }
    }
  }

  /**
   * Checks that the result is complete. The binding does not report an error during reading, so a failed result looks
   * complete. But an error ends the transaction, so another statement in it fails. Running the query again then gives the
   * error message.
   */
  async #confirmEnd(reading: Reading): Promise<void> {
    this.#check();
    const whole = await this.#connection.run("SELECT 1").then(
      () => true,
      () => false,
    );
    this.#check();
    if (whole) return;
    const statement = await reading.again();
    bindParameters(statement, this.#query.parameters);
    await statement.run();
    throw new Failure("query_failed", "the query failed while its rows were read; try again");
  }

  #open(result: DuckDBResult): ResultWriter {
    if (result.columnCount > RESULT_COLUMNS_MAX)
      throw new Failure(
        "query_too_large",
        `the result has ${result.columnCount} columns; the limit is ${RESULT_COLUMNS_MAX}`,
      );
    const names = distinctNames(result.columnNames());
    const writer = makeWriter(
      this.#query.format,
      names.map((name, i) => ({ name, type: result.columnType(i) })),
    );
    this.#writer = writer;
    this.#sender.add(writer.head());
    return writer;
  }

  #tooMany(): boolean {
    if (this.#query.truncate) return true;
    throw new Failure(
      "query_too_large",
      `the result has more than ${this.#query.rowsMax} rows; set a limit, or ask for a part of it`,
    );
  }

  #check(): void {
    if (this.#stop !== undefined) throw new Failure("query_cancelled", CANCELLED);
  }

  #adviceOn({ place }: Failure): string | undefined {
    const { advice, source } = this.#admitted ?? {};
    const { column } = place ?? {};
    if (advice !== undefined || source === undefined || column === undefined) return advice;
    return isCompared(JSON.parse(source), column) ? `for the text, write '${column.replaceAll("'", "''")}'` : undefined;
  }

  #positionOf({ place }: Failure): TextPosition | undefined {
    if (place === undefined) return undefined;
    const at = place.in === "sent" ? place.at : this.#reading?.originOf(place.at);
    if (at === undefined) return undefined;
    const { condition, sql } = this.#query;
    return positionAt(sql, condition === undefined ? at : Math.max(0, at - conditionPrefix(condition.table).length));
  }

  #scrubbing(): ScrubOptions {
    return { directories: directoriesOf(this.#files), orgId: this.#query.orgId };
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  async #finish(truncated: boolean): Promise<LastFrame> {
    await this.#sender.finish(
      this.#writer?.tail({ rows: this.#rows, truncated, elapsedMs: this.#elapsedMs(), figures: this.#files.figures }) ??
        "",
    );
    const end: ChildEnd = { rows: this.#rows, truncated, elapsedMs: this.#elapsedMs() };
    return { kind: FRAME.end, payload: JSON.stringify(end) };
  }

  async #fail(failure: Failure): Promise<LastFrame> {
    const position = this.#positionOf(failure);
    const where = position === undefined ? "" : ` (at line ${position.line}, column ${position.column})`;
    const detail = scrub(`${failure.message}${where}`, this.#scrubbing());
    let told = false;
    if (this.#sender.begun) {
      const error = { code: failure.code, detail };
      const tail = this.#writer?.tail({
        rows: this.#rows,
        truncated: true,
        elapsedMs: this.#elapsedMs(),
        figures: this.#files.figures,
        error,
      });
      if (tail !== undefined) {
        await this.#sender.finish(tail);
        told = true;
      }
    }
    this.#sender.discard();
    const payload: ChildFailure = { code: failure.code, detail, position, told, doubt: failure.doubt };
    return { kind: FRAME.fail, payload: JSON.stringify(payload) };
  }
}

/** Adds advice to a failure to bind or evaluate the statement. */
function advised(failure: Failure, advice: string | undefined): Failure {
  const { code, message, doubt, place } = failure;
  if (advice === undefined || doubt || (code !== "invalid_sql" && code !== "query_failed")) return failure;
  return new Failure(code, `${message}; ${advice}`, doubt, place);
}

/** Returns the line and column of an offset in bytes. */
function positionAt(sql: string, at: number): TextPosition {
  const before = Buffer.from(sql.toWellFormed()).subarray(0, at).toString();
  const lines = before.split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function directoriesOf({ directory, tables }: ChildFiles): string[] {
  const names = Object.values(tables).flatMap(({ parquet, hot }) => [...parquet.flatMap(({ files }) => files), ...hot]);
  const outside = names.filter((name) => name.startsWith("/")).map((name) => name.slice(0, name.lastIndexOf("/")));
  return [...new Set([...outside, directory])];
}
