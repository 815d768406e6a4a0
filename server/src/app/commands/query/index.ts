import { readFileSync } from "node:fs";
import { SQL_BYTES_MAX } from "#kernel/limits.ts";
import { systemClock } from "#kernel/time.ts";
import type { Client } from "@mooring/client";
import {
  CommandError,
  choiceOption,
  command,
  countOption,
  ExitCode,
  textOption,
  textsOption,
  UsageError,
  type Option,
  type Parsed,
} from "../command.ts";
import { connect, CONNECTION_OPTIONS } from "../connection.ts";
import { untilInterrupt } from "../interrupt.ts";
import { tableText, type TableColumn } from "../table.ts";
import { planText, type PlanStep } from "./plan.ts";
import { openSink, type Sink } from "../sink.ts";

const USAGE = `
Usage: mooring query "SQL"|- [VALUE…] [options]

Runs one read-only statement over logs, metrics and traces, in DuckDB's dialect. Values after the statement are for its ? or $1,
--param name=value is for $name. A value that is a JSON number, true, false or null has that type. A value in "…", and every other
value, is text. With - the statement is read from standard input.

  mooring query "SELECT level, count(*) FROM logs GROUP BY level ORDER BY 2 DESC"
  mooring query "SELECT * FROM logs WHERE level = \\$level" --param level=error --limit 20
  mooring query "SELECT * FROM traces WHERE duration_ms > ?" 500 --format csv > slow.csv
  mooring query "SELECT * FROM logs" --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z --format parquet --output day.parquet

A table shows 1000 rows at most unless --limit says otherwise; the other formats stream everything.
Exit codes: 0 done, 1 the statement or the query failed, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const FORMATS = ["table", "json", "ndjson", "csv", "arrow", "parquet"] as const;
type Format = (typeof FORMATS)[number];
const ACCEPT: Readonly<Record<Format, string>> = {
  table: "application/json",
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  arrow: "application/vnd.apache.arrow.stream",
  parquet: "application/vnd.apache.parquet",
};
const BINARY: ReadonlySet<Format> = new Set(["arrow", "parquet"]);

const OPTIONS: readonly Option[] = [
  { name: "format", value: FORMATS.join("|"), description: "default: table on a terminal, ndjson elsewhere" },
  { name: "param", value: "NAME=VALUE", multiple: true, description: "value of $NAME; repeatable" },
  { name: "output", value: "FILE", description: "write the result to this file; a broken result leaves no file" },
  { name: "from", value: "TIME", description: "only rows at or after this time, ISO 8601 UTC" },
  { name: "to", value: "TIME", description: "only rows before this time" },
  { name: "explain", description: "show the plan of the statement without running it" },
  { name: "analyze", description: "run the statement, and show its plan with figures instead of its rows" },
  { name: "limit", value: "N", description: "cut the result after N rows, and report it" },
  { name: "timeout-ms", value: "MS", description: "time limit of the query" },
  ...CONNECTION_OPTIONS,
];

const TABLE_ROWS_DEFAULT = 1000;
const COUNT_MAX = 1_000_000_000;

type Scalar = string | number | boolean | null;

export const query = command(USAGE, OPTIONS, async (parsed) => {
  const request = requestOf(parsed);
  const client = await connect(parsed, systemClock);
  // Disconnecting cancels the query on the server.
  return untilInterrupt(async (signal) => {
    await run(client, request, signal);
    return ExitCode.ok;
  });
});

interface QueryCommand {
  readonly format: Format;
  readonly explained: boolean;
  /** Undefined: standard output. */
  readonly output: string | undefined;
  readonly body: string;
}

/** @throws UsageError */
function requestOf(parsed: Parsed): QueryCommand {
  const output = textOption(parsed, "output");
  const onTerminal = output === undefined && process.stdout.isTTY;
  const explain = explainOf(parsed);
  const format = choiceOption(parsed, "format", FORMATS) ?? (onTerminal || explain !== undefined ? "table" : "ndjson");
  if (BINARY.has(format) && onTerminal)
    throw new UsageError(`${format} is not for a terminal: add --output FILE, or send it into a file or a program`);
  if (explain !== undefined && format !== "table" && format !== "json")
    throw new UsageError("--explain needs --format table or json");
  const body = JSON.stringify({ ...statementOf(parsed, format), explain });
  return { format, explained: explain !== undefined, output, body };
}

function explainOf(parsed: Parsed): true | "analyze" | undefined {
  if (parsed.values["analyze"] === true) return "analyze";
  return parsed.values["explain"] === true ? true : undefined;
}

async function run(client: Client, request: QueryCommand, signal: AbortSignal): Promise<void> {
  const { format, explained, output, body } = request;
  const startedMs = systemClock.nowMs();
  const headers = { accept: ACCEPT[format] };
  const url = `${client.addresses.query_url}/v1/query`;
  const response = await client.send({ purpose: "run the query", method: "POST", url, headers, body, signal });
  const sink = await openSink(output);
  try {
    if (format !== "table") await passOn(response, format, sink);
    else if (explained) await sink.write(planText(((await response.json()) as PlanAnswer).plan));
    else process.stderr.write(await showTable(response, sink, startedMs));
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

interface PlanAnswer {
  readonly plan: PlanStep | null;
}

interface QueryAnswer {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Record<string, unknown>[];
  readonly row_count: number;
  readonly truncated: boolean;
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Prints the table. Returns the line below it. */
async function showTable(response: Response, sink: Sink, startedMs: number): Promise<string> {
  const result = (await response.json()) as QueryAnswer;
  if (result.error !== undefined) throw brokenOff(result.error.detail, sink);
  await sink.write(tableText(result.columns, result.rows, sink.width));
  const cut = result.truncated ? "; there are more rows, use --limit N" : "";
  const rows = `${result.row_count} ${result.row_count === 1 ? "row" : "rows"}`;
  return `(${rows}${cut}; ${systemClock.nowMs() - startedMs} ms)\n`;
}

/** The last characters of a result. They report a failure during the query. */
const TAIL_CHARS = 4096;
const NEVER = /(?!)/; // In these formats the server reports a failure by closing the connection.
const BROKEN: Readonly<Record<Exclude<Format, "table">, RegExp>> = {
  json: /"error":\{"code":"[a-z_]+","detail":"((?:[^"\\]|\\.)*)"\}\}\s*$/,
  ndjson: /(?:^|\n)\{"error":\{"code":"[a-z_]+","detail":"((?:[^"\\]|\\.)*)"\}\}\s*$/,
  csv: NEVER,
  arrow: NEVER,
  parquet: NEVER,
};

/** Copies the bytes as they arrive. Keeps only the end, which shows whether the result is complete. */
async function passOn(response: Response, format: Exclude<Format, "table">, sink: Sink): Promise<void> {
  let tail = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      await sink.write(chunk);
      if (!BINARY.has(format)) tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_CHARS);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return; // The reader closed the pipe, as `head` does.
    if ((error as Error).name === "AbortError" || error instanceof CommandError) throw error;
    throw brokenOff("the connection broke before the end of the result", sink);
  }
  const failure = BROKEN[format].exec(tail);
  if (failure !== null) throw brokenOff(String(JSON.parse(`"${failure[1] ?? ""}"`)), sink);
}

function brokenOff(detail: string, { broken }: Sink): CommandError {
  return new CommandError(`cannot finish the query: ${detail}; ${broken}`);
}

function statementOf(parsed: Parsed, format: Format): Record<string, unknown> {
  const [given, ...values] = parsed.positionals;
  if (given === undefined) throw new UsageError("name the statement, in quotes, or - to read it from standard input");
  const sql = given === "-" ? readFileSync(0, "utf8") : given;
  if (sql.trim() === "") throw new UsageError("the statement is empty");
  if (Buffer.byteLength(sql) > SQL_BYTES_MAX)
    throw new UsageError(`the statement is longer than ${SQL_BYTES_MAX} bytes`);
  const named = textsOption(parsed, "param");
  if (named.length > 0 && values.length > 0) throw new UsageError("give values by position or by --param, not both");
  const limit =
    countOption(parsed, "limit", { minimum: 1, maximum: COUNT_MAX }) ??
    (format === "table" ? TABLE_ROWS_DEFAULT : undefined);
  return {
    sql,
    ...(values.length > 0 ? { parameters: values.map(scalarOf) } : {}),
    ...(named.length > 0 ? { parameters: Object.fromEntries(named.map(pairOf)) } : {}),
    ...(limit === undefined ? {} : { limit }),
    timeout_ms: countOption(parsed, "timeout-ms", { minimum: 1, maximum: COUNT_MAX }),
    from: textOption(parsed, "from"),
    to: textOption(parsed, "to"),
  };
}

function pairOf(text: string): [string, Scalar] {
  const mark = text.indexOf("=");
  if (mark < 1) throw new UsageError(`--param takes name=value, not ${JSON.stringify(text)}`);
  return [text.slice(0, mark), scalarOf(text.slice(mark + 1))];
}

function scalarOf(text: string): Scalar {
  if (!/^(?:-?\d|true$|false$|null$|")/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    // Integers that a number can't hold exactly stay text.
    if (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)) return text;
    return value as Scalar;
  } catch {
    return text;
  }
}
