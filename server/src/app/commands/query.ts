import { once } from "node:events";
import { readFileSync } from "node:fs";
import { SQL_BYTES_MAX } from "#kernel/limits.ts";
import { systemClock } from "#kernel/time.ts";
import type { Client } from "./client.ts";
import {
  choiceOption,
  CommandError,
  countOption,
  ExitCode,
  parseCommand,
  textsOption,
  UsageError,
  type Command,
  type Option,
  type Parsed,
} from "./command.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { onInterrupt } from "./interrupt.ts";
import { tableText, type TableColumn } from "./table.ts";

const USAGE = `
Usage: mooring query "SQL"|- [VALUE…] [options]

Runs one read-only statement over logs, metrics and traces, in DuckDB's dialect. Values after the statement are for its ? or $1,
--param name=value is for $name. A value that is a JSON number, true, false or null is taken as that, "…" as text, all else
as text too. With - the statement is read from standard input.

  mooring query "SELECT level, count(*) FROM logs GROUP BY level ORDER BY 2 DESC"
  mooring query "SELECT * FROM logs WHERE level = \\$level" --param level=error --limit 20
  mooring query "SELECT * FROM traces WHERE duration_ms > ?" 500 --format csv > slow.csv

A table shows 1000 rows at most unless --limit says otherwise; the other formats stream everything.
Exit codes: 0 done, 1 the statement or the query failed, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  {
    name: "format",
    type: "string",
    value: "table|json|ndjson|csv",
    description: "default: table on a terminal, ndjson elsewhere",
  },
  { name: "param", type: "string", value: "NAME=VALUE", multiple: true, description: "value of $NAME; repeatable" },
  { name: "limit", type: "string", value: "N", description: "cut the result after N rows, and say so" },
  { name: "timeout-ms", type: "string", value: "MS", description: "time limit of the query" },
  ...CONNECTION_OPTIONS,
];

const FORMATS = ["table", "json", "ndjson", "csv"] as const;
type Format = (typeof FORMATS)[number];
const ACCEPT: Readonly<Record<Format, string>> = {
  table: "application/json",
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};
const TABLE_ROWS_DEFAULT = 1000;
const COUNT_MAX = 1_000_000_000;

type Scalar = string | number | boolean | null;

export const query: Command = {
  run: async (args) => {
    const parsed = parseCommand(USAGE, OPTIONS, args);
    if (parsed === null) return ExitCode.ok;
    const format = choiceOption(parsed, "format", FORMATS) ?? (process.stdout.isTTY ? "table" : "ndjson");
    const body = JSON.stringify(statementOf(parsed, format));
    const client = await connect(parsed, systemClock);
    const interrupt = onInterrupt();
    try {
      await run(client, format, body, interrupt.signal);
      return ExitCode.ok;
    } catch (error) {
      // Going away cancels the query on the server.
      if (interrupt.signal.aborted) return ExitCode.interrupted;
      throw error;
    } finally {
      interrupt.release();
    }
  },
};

async function run(client: Client, format: Format, body: string, signal: AbortSignal): Promise<void> {
  const startedMs = systemClock.nowMs();
  const headers = { accept: ACCEPT[format] };
  const url = `${client.addresses.query_url}/v1/query`;
  const response = await client.send({ purpose: "run the query", method: "POST", url, headers, body, signal });
  if (format !== "table") return passOn(response, format);
  const result = (await response.json()) as QueryAnswer;
  if (result.error !== undefined) throw brokenOff(result.error.detail);
  const width = process.stdout.isTTY ? process.stdout.columns : Number.MAX_SAFE_INTEGER;
  await write(tableText(result.columns, result.rows, width));
  process.stderr.write(footer(result, systemClock.nowMs() - startedMs));
}

interface QueryAnswer {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Record<string, unknown>[];
  readonly row_count: number;
  readonly truncated: boolean;
  readonly error?: { readonly code: string; readonly detail: string };
}

function footer(result: QueryAnswer, elapsedMs: number): string {
  const cut = result.truncated ? "; there are more, --limit N shows N" : "";
  return `(${result.row_count} ${result.row_count === 1 ? "row" : "rows"}${cut}; ${elapsedMs} ms)\n`;
}

/** How the end of a result looks that failed after its first bytes were sent. */
const TAIL_CHARS = 4096;
const BROKEN: Readonly<Record<Exclude<Format, "table">, RegExp>> = {
  json: /"error":\{"code":"[a-z_]+","detail":"((?:[^"\\]|\\.)*)"\}\}\s*$/,
  ndjson: /(?:^|\n)\{"error":\{"code":"[a-z_]+","detail":"((?:[^"\\]|\\.)*)"\}\}\s*$/,
  csv: /(?!)/, // its connection is cut instead
};

/** The bytes as they come; nothing is gathered but the tail, which tells a broken result. */
async function passOn(response: Response, format: Exclude<Format, "table">): Promise<void> {
  let tail = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      await write(chunk);
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_CHARS);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return; // `| head` has seen enough
    if ((error as Error).name === "AbortError") throw error;
    throw brokenOff("the connection ended before the result did");
  }
  const failure = BROKEN[format].exec(tail);
  if (failure !== null) throw brokenOff(String(JSON.parse(`"${failure[1] ?? ""}"`)));
}

function brokenOff(detail: string): CommandError {
  return new CommandError(`cannot finish the query: ${detail}; what was printed is not the whole result`);
}

/** Waits for the reader of our output, so that a large result is not gathered here. */
async function write(chunk: string | Uint8Array): Promise<void> {
  if (process.stdout.write(chunk)) return;
  await once(process.stdout, "drain");
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
    // Digits beyond what a number holds stay text, so that they are not rounded.
    if (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)) return text;
    return value as Scalar;
  } catch {
    return text;
  }
}
