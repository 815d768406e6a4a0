import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { ApiError, UnreachableError, type Client } from "./client.ts";
import {
  ExitCode,
  parseCommand,
  textOption,
  textsOption,
  UsageError,
  type Command,
  type Option,
  type Parsed,
} from "./command.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { sentEvents, type SentEvent } from "./events.ts";
import { onInterrupt } from "./interrupt.ts";
import { printable } from "./printable.ts";

const USAGE = `
Usage: mooring tail [TEXT] [options]

Prints log entries as they are taken, until Ctrl-C. TEXT is part of the message, in whatever case. After a broken connection it goes
on where it stopped; what can't be shown any more is told on standard error.

  mooring tail --level warn
  mooring tail --service checkout "card refused"
  mooring tail --attribute http.route=/orders --json | jq .message

Exit codes: 2 wrong usage, 3 not permitted, 4 can't reach the server (at the start), 130 after Ctrl-C.
`;

const OPTIONS: readonly Option[] = [
  { name: "level", type: "string", value: "LEVEL", description: "this level and more severe ones" },
  { name: "service", type: "string", value: "NAME", description: "only this service" },
  { name: "trace-id", type: "string", value: "ID", description: "only this trace" },
  {
    name: "attribute",
    type: "string",
    value: "NAME=VALUE",
    multiple: true,
    description: "only entries whose attribute has this value; repeatable",
  },
  { name: "json", type: "boolean", description: "print each entry as a line of JSON" },
  ...CONNECTION_OPTIONS,
];

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;

export const tail: Command = {
  run: async (args) => {
    const parsed = parseCommand(USAGE, OPTIONS, args);
    if (parsed === null) return ExitCode.ok;
    const search = searchOf(parsed);
    const client = await connect(parsed, systemClock);
    const interrupt = onInterrupt();
    try {
      await follow(client, search, { json: parsed.values["json"] === true, signal: interrupt.signal });
      return ExitCode.ok;
    } catch (error) {
      if (interrupt.signal.aborted) return ExitCode.interrupted;
      if ((error as NodeJS.ErrnoException).code === "EPIPE") return ExitCode.ok; // `| head` has seen enough
      throw error;
    } finally {
      interrupt.release();
    }
  },
};

interface FollowOptions {
  readonly json: boolean;
  readonly signal: AbortSignal;
}

/** Connects again and again. A refusal that would come again, and a first connection that fails, end it. */
async function follow(client: Client, search: URLSearchParams, { json, signal }: FollowOptions): Promise<never> {
  let lastId: string | undefined;
  let waitMs = RETRY_FIRST_MS;
  let connected = false;
  for (;;) {
    try {
      const response = await client.send({
        purpose: "follow the logs",
        url: `${client.addresses.query_url}/v1/tail/logs?${search.toString()}`,
        headers: { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) },
        signal,
      });
      connected = true;
      for await (const event of sentEvents(response.body)) {
        lastId = event.id ?? lastId;
        waitMs = RETRY_FIRST_MS;
        await show(event, json);
      }
    } catch (error) {
      if (signal.aborted || !connected || !isPassing(error)) throw error;
      process.stderr.write(`mooring: ${printable((error as Error).message)}; trying again\n`);
    }
    await delay(waitMs, undefined, { signal });
    waitMs = Math.min(RETRY_MAX_MS, 2 * waitMs);
  }
}

/** A stream that breaks off is a TypeError of fetch. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof UnreachableError || error instanceof TypeError;
}

async function show({ event, data }: SentEvent, json: boolean): Promise<void> {
  if (event === "entry") {
    if (!process.stdout.write(`${json ? data : lineOf(JSON.parse(data) as Entry)}\n`))
      await once(process.stdout, "drain");
  } else if (event === "gap") {
    const { from, to, left_out: leftOut } = JSON.parse(data) as { from: string; to: string; left_out: number | null };
    const what = leftOut === null ? "entries" : `${leftOut} entries`;
    process.stderr.write(
      `mooring: ${what} from ${printable(from)} to ${printable(to)} could not be shown; mooring query has them\n`,
    );
  }
}

interface Entry {
  readonly timestamp: string;
  readonly level: string;
  readonly message: string;
  readonly service: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
}

/** One line, whatever the entry holds. */
function lineOf({ timestamp, level, message, service, attributes }: Entry): string {
  const context = attributes === null || Object.keys(attributes).length === 0 ? "" : JSON.stringify(attributes);
  const parts = [timestamp, level.toUpperCase().padEnd(5), service ?? "", message, context];
  return printable(parts.filter((part) => part !== "").join(" "));
}

function searchOf(parsed: Parsed): URLSearchParams {
  const search = new URLSearchParams();
  const [text, ...more] = parsed.positionals;
  if (more.length > 0) throw new UsageError("put the text in quotes");
  const named = { level: textOption(parsed, "level"), service: textOption(parsed, "service") };
  const values = { ...named, trace_id: textOption(parsed, "trace-id"), q: text === "" ? undefined : text };
  for (const [name, value] of Object.entries(values)) if (value !== undefined) search.set(name, value);
  for (const pair of textsOption(parsed, "attribute")) {
    const mark = pair.indexOf("=");
    if (mark < 1) throw new UsageError(`--attribute takes name=value, not ${JSON.stringify(pair)}`);
    search.set(`attributes.${pair.slice(0, mark)}`, pair.slice(mark + 1));
  }
  return search;
}
