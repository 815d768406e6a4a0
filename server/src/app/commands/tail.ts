import { once } from "node:events";
import type { SentEvent } from "@mooring/client";
import { systemClock } from "#kernel/time.ts";
import { command, textOption, textsOption, UsageError, type Option, type Parsed } from "./command.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { follow } from "./follow.ts";
import { printable } from "./printable.ts";

const USAGE = `
Usage: mooring tail [TEXT] [options]

Prints log entries as they arrive, until Ctrl-C. TEXT is part of the message, in upper or lower case. After a broken connection it
continues where it stopped; the number of entries that can't be shown any more goes to standard error.

  mooring tail --level warn
  mooring tail --service checkout "card refused"
  mooring tail --attribute http.route=/orders --json | jq .message

Exit codes: 2 wrong usage, 3 not permitted, 4 can't reach the server (at the start), 130 after Ctrl-C.
`;

const OPTIONS: readonly Option[] = [
  { name: "level", value: "LEVEL", description: "this level and more severe ones" },
  { name: "service", value: "NAME", description: "only this service" },
  { name: "trace-id", value: "ID", description: "only this trace" },
  {
    name: "attribute",
    value: "NAME=VALUE",
    multiple: true,
    description: "only entries whose attribute has this value; repeatable",
  },
  { name: "json", description: "print each entry as a line of JSON" },
  ...CONNECTION_OPTIONS,
];

export const tail = command(USAGE, OPTIONS, async (parsed) => {
  const search = searchOf(parsed);
  const client = await connect(parsed, systemClock);
  return follow(client, {
    purpose: "follow the logs",
    url: `${client.addresses.query_url}/v1/tail/logs?${search.toString()}`,
    take: (event) => show(event, parsed.values["json"] === true),
  });
});

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
