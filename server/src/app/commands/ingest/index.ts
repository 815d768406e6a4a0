import { systemClock } from "#kernel/time.ts";
import {
  choiceOption,
  countOption,
  ExitCode,
  parseCommand,
  textOption,
  textsOption,
  UsageError,
  type Command,
  type Option,
  type Parsed,
} from "../command.ts";
import { connect, CONNECTION_OPTIONS } from "../connection.ts";
import { onInterrupt } from "../interrupt.ts";
import type { TelemetryKind } from "./entries.ts";
import { grouped } from "./progress.ts";
import { runIngest, type IngestPlan, type IngestSummary } from "./run.ts";
import { zoneOf } from "./text/index.ts";

const USAGE = `
Usage: mooring ingest logs|metrics|traces FILE|- [options]

Sends a file, or standard input, in batches of 1000 entries; a batch that a broken connection left in doubt is sent again and
taken once. Lines are JSON objects as POST /v1/ingest takes them. With --format text, logs are plain lines: the time, level,
host, program, request and other fields are read from the usual formats (ISO 8601, syslog, Apache and nginx, OpenStack, klog,
logfmt, JSON loggers, epoch). A FILE that ends in .gz is unpacked.

  mooring ingest logs app.ndjson --service checkout
  mooring ingest logs /var/log/syslog --format text --timezone Europe/Berlin
  journalctl -o short-iso -f | mooring ingest logs - --format text
  mooring ingest metrics samples.ndjson --attribute region=eu

Exit codes: 0 sent (lines that were left out are reported), 1 failed, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  { name: "format", type: "string", value: "json|text", description: "form of the lines (default json)" },
  { name: "service", type: "string", value: "NAME", description: "service of entries that name none" },
  {
    name: "attribute",
    type: "string",
    value: "K=V",
    multiple: true,
    description: "attribute, or tag of metrics, to add; repeatable",
  },
  {
    name: "timezone",
    type: "string",
    value: "ZONE",
    description: "of times without an offset: UTC, +02:00, Europe/Berlin (default UTC)",
  },
  {
    name: "year",
    type: "string",
    value: "YYYY",
    description: "of times without a year (default: from when the file was written)",
  },
  { name: "strict", type: "boolean", description: "stop at the first line that can't be taken" },
  { name: "parallel", type: "string", value: "N", description: "requests at the same time, 1 to 16 (default 4)" },
  { name: "retry-for", type: "string", value: "SECONDS", description: "how long a batch is tried again (default 60)" },
  { name: "json", type: "boolean", description: "print the summary as JSON" },
  ...CONNECTION_OPTIONS,
];

export const ingest: Command = {
  run: async (args) => {
    const parsed = parseCommand(USAGE, OPTIONS, args);
    if (parsed === null) return ExitCode.ok;
    const plan = planOf(parsed);
    const client = await connect(parsed, systemClock);
    const interrupt = onInterrupt();
    try {
      const summary = await runIngest(plan, client, systemClock, interrupt.signal);
      process.stdout.write(
        parsed.values["json"] === true ? `${JSON.stringify(summary)}\n` : summaryText(plan, summary),
      );
      if (interrupt.signal.aborted) return ExitCode.interrupted;
      return summary.accepted === 0 && summary.refused > 0 ? ExitCode.failed : ExitCode.ok;
    } finally {
      interrupt.release();
    }
  },
};

function summaryText(plan: IngestPlan, summary: IngestSummary): string {
  const seconds = (summary.elapsed_ms / 1000).toFixed(1);
  const left = summary.refused === 0 ? "" : `, ${grouped(summary.refused)} left out`;
  return `${grouped(summary.accepted)} ${plan.kind} accepted from ${grouped(summary.lines)} lines${left}, in ${seconds} s\n`;
}

function planOf(parsed: Parsed): IngestPlan {
  const [kind, file, ...rest] = parsed.positionals;
  if (kind !== "logs" && kind !== "metrics" && kind !== "traces")
    throw new UsageError("say what to send: logs, metrics or traces");
  if (file === undefined) throw new UsageError("name a file, or - for standard input");
  if (rest.length > 0) throw new UsageError(`one file at a time: ${rest.join(" ")} is too much`);
  const format = choiceOption(parsed, "format", ["json", "text"]) ?? "json";
  if (format === "text" && kind !== "logs")
    throw new UsageError("--format text is for logs; metrics and traces are JSON lines");
  const zoneName = textOption(parsed, "timezone") ?? "UTC";
  const zone = zoneOf(zoneName);
  if (zone === null)
    throw new UsageError(
      `--timezone ${JSON.stringify(zoneName)} is not a time zone; name one like UTC, +02:00 or Europe/Berlin`,
    );
  return {
    kind: kind satisfies TelemetryKind,
    file,
    format,
    zone,
    additions: { service: textOption(parsed, "service"), attributes: attributesOf(textsOption(parsed, "attribute")) },
    year: countOption(parsed, "year", { minimum: 1970, maximum: 9999 }),
    strict: parsed.values["strict"] === true,
    parallel: countOption(parsed, "parallel", { minimum: 1, maximum: 16 }) ?? 4,
    retryForMs: (countOption(parsed, "retry-for", { minimum: 0, maximum: 86_400 }) ?? 60) * 1000,
  };
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
