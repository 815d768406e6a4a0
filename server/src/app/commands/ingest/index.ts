import { checkTextOptions, zoneOf } from "#domain/telemetry/text/index.ts";
import { systemClock } from "#kernel/time.ts";
import {
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
import { onInterrupt } from "../interrupt.ts";
import type { TelemetryKind } from "./entries.ts";
import { grouped } from "./progress.ts";
import { runIngest, type IngestPlan, type IngestSummary } from "./run.ts";

const USAGE = `
Usage: mooring ingest logs|metrics|traces FILE|- [options]

Sends a file, or standard input, in batches of 1000 entries. After a broken connection a batch is sent again, and stored once.
Lines are JSON objects as for POST /v1/ingest. With --format text, logs are plain lines: the time is in the first 80 characters,
in any common format of loggers, and the level is before the message. Continuation lines, such as stack traces, are joined to the
line before. A line without a level has the level "unspecified". A FILE that ends in .gz is unpacked.

  mooring ingest logs app.ndjson --service checkout
  mooring ingest logs /var/log/syslog --format text --timezone Europe/Berlin
  mooring ingest logs odd.log --format text --time-format '%d.%m.%y %H-%M-%S' --on-no-time previous
  mooring ingest logs odd.log --format text --pattern '^(?<time>\\S+) (?<level>\\w+) <(?<service>\\w+)> (?<message>.*)'
  journalctl -o short-iso -f | mooring ingest logs - --format text
  mooring ingest metrics samples.ndjson --attribute region=eu

Exit codes: 0 sent (lines that were left out are reported), 1 failed, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  { name: "format", value: "json|text", description: "format of the lines (default json)" },
  { name: "project", value: "SLUG", description: "project of the entries (default: none, or that of the credential)" },
  { name: "service", value: "NAME", description: "service of entries that have none" },
  { name: "attribute", value: "K=V", multiple: true, description: "attribute, or tag of metrics, to add; repeatable" },
  {
    name: "timezone",
    value: "ZONE",
    description: "time zone of times without an offset: UTC, +02:00, Europe/Berlin (default UTC)",
  },
  { name: "year", value: "YYYY", description: "year of times without a year (default: from the file's date)" },
  {
    name: "pattern",
    value: "REGEX",
    description: "regular expression of a line; its groups time, level, message, service; others become attributes",
  },
  {
    name: "time-format",
    value: "FORMAT",
    description: "format of the times, with directives of strptime, such as %d.%m.%Y %H:%M:%S",
  },
  {
    name: "on-no-time",
    value: "now|previous|reject",
    description:
      "what to do with a line without a time: use the time of arrival, use the time of the line before, or leave the line out (default: join it to the line before)",
  },
  { name: "strict", description: "stop at the first line that is refused" },
  { name: "parallel", value: "N", description: "concurrent requests, 1 to 16 (default 4)" },
  { name: "retry-for", value: "SECONDS", description: "seconds for which a batch is retried (default 60)" },
  { name: "json", description: "print the summary as JSON" },
  ...CONNECTION_OPTIONS,
];

export const ingest = command(USAGE, OPTIONS, async (parsed) => {
  const plan = planOf(parsed);
  const client = await connect(parsed, systemClock);
  const interrupt = onInterrupt();
  try {
    const summary = await runIngest(plan, client, systemClock, interrupt.signal);
    process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(summary)}\n` : summaryText(plan, summary));
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    return summary.accepted === 0 && summary.refused > 0 ? ExitCode.failed : ExitCode.ok;
  } finally {
    interrupt.release();
  }
});

function summaryText(plan: IngestPlan, summary: IngestSummary): string {
  const seconds = (summary.elapsed_ms / 1000).toFixed(1);
  const reasons = Object.entries(summary.reasons).map(
    ([why, count]) => `${grouped(count)} ${why.replaceAll("_", " ")}`,
  );
  const left = summary.refused === 0 ? "" : `, ${grouped(summary.refused)} left out (${reasons.join(", ")})`;
  const others = OTHERS.map(([name, text]) => (summary[name] === 0 ? "" : `, ${grouped(summary[name])} ${text}`)).join(
    "",
  );
  return `${grouped(summary.accepted)} ${plan.kind} accepted from ${grouped(summary.lines)} lines${left}${others}, in ${seconds} s\n`;
}

const OTHERS = [
  ["joined", "joined to the line before"],
  ["blank", "blank"],
  ["time_from_arrival", "with the time of arrival"],
  ["time_from_previous", "with the time of the line before"],
] as const;

function planOf(parsed: Parsed): IngestPlan {
  const [kind, file, ...rest] = parsed.positionals;
  if (kind !== "logs" && kind !== "metrics" && kind !== "traces")
    throw new UsageError("name the kind: logs, metrics or traces");
  if (file === undefined) throw new UsageError("name a file, or - for standard input");
  if (rest.length > 0) throw new UsageError(`name only one file; unexpected: ${rest.join(" ")}`);
  const format = choiceOption(parsed, "format", ["json", "text"]) ?? "json";
  if (format === "text" && kind !== "logs")
    throw new UsageError("--format text is for logs; metrics and traces are JSON lines");
  const text = textOptions(parsed, format);
  const zoneName = textOption(parsed, "timezone") ?? "UTC";
  const zone = zoneOf(zoneName);
  if (zone === null)
    throw new UsageError(
      `--timezone ${JSON.stringify(zoneName)} is not a time zone; name one like UTC, +02:00 or Europe/Berlin`,
    );
  return {
    kind: kind satisfies TelemetryKind,
    project: textOption(parsed, "project"),
    file,
    format,
    zone,
    additions: { service: textOption(parsed, "service"), attributes: attributesOf(textsOption(parsed, "attribute")) },
    year: countOption(parsed, "year", { minimum: 1970, maximum: 9999 }),
    ...text,
    strict: parsed.values["strict"] === true,
    parallel: countOption(parsed, "parallel", { minimum: 1, maximum: 16 }) ?? 4,
    retryForMs: (countOption(parsed, "retry-for", { minimum: 0, maximum: 86_400 }) ?? 60) * 1000,
  };
}

function textOptions(parsed: Parsed, format: string): Pick<IngestPlan, "pattern" | "timeFormat" | "onNoTime"> {
  const pattern = textOption(parsed, "pattern");
  const timeFormat = textOption(parsed, "time-format");
  const onNoTime = choiceOption(parsed, "on-no-time", ["now", "previous", "reject"]);
  const given = Object.entries({ pattern, "time-format": timeFormat, "on-no-time": onNoTime });
  const [name] = given.find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined && format !== "text") throw new UsageError(`--${name} is for plain lines; add --format text`);
  const wrong = checkTextOptions({ pattern, timeFormat });
  if (wrong !== null) throw new UsageError(`cannot use --${wrong.option}: ${wrong.reason}`);
  return { pattern, timeFormat, onNoTime };
}

function attributesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const mark = pair.indexOf("=");
      if (mark < 1) throw new UsageError(`--attribute takes key=value, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, mark), pair.slice(mark + 1)];
    }),
  );
}
