import { shown } from "../lib/statistics.ts";
import type { Asked } from "./ask.ts";
import type { Floor } from "./floor.ts";
import type { Ingested, Target } from "./target.ts";

const MIB = 1024 * 1024;

/** Returns the lines of a table with columns of equal width; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

const whole = (figure: number): string => Math.round(figure).toLocaleString("en");
const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const mebibytes = (bytes: number): string => whole(bytes / MIB);

export function ingestTable(
  runs: readonly {
    readonly target: Pick<Target, "name" | "durable">;
    readonly run: Ingested;
    readonly restedBytes: number;
    readonly filesBytes: number;
  }[],
  floor: Floor,
  entries: number,
): string {
  const head = ["", ...runs.map(({ target }) => target.name), "plain DuckDB"];
  const rate = (count: number, ms: number): string => whole(count / (ms / 1000));
  const row = (
    name: string,
    of: (run: Ingested, bytes: { restedBytes: number; filesBytes: number }) => string,
    last: string,
  ): string[] => [name, ...runs.map(({ run, ...bytes }) => of(run, bytes)), last];
  const rows = [
    head,
    row("entries/s until the last answer", (run) => rate(run.entries, run.elapsedMs), "–"),
    row(
      "entries/s until all is in its files",
      (run) => rate(run.entries, run.elapsedMs + run.settledMs),
      rate(entries, floor.elapsedMs),
    ),
    row("seconds from the last answer to that", (run) => seconds(run.settledMs), "–"),
    row("most rows pending", (run) => whole(run.pendingMax), "–"),
    row("batches refused, sent again", (run) => whole(run.refused), "–"),
    row("a batch, p50 / p99 ms", (run) => `${whole(run.p50Ms)} / ${whole(run.p99Ms)}`, "–"),
    row("CPU seconds", (run) => run.cpuSeconds.toFixed(1), floor.cpuSeconds.toFixed(1)),
    row(
      "memory at most, RSS / PSS MiB",
      (run) => `${mebibytes(run.rssBytesMax)} / ${mebibytes(run.pssBytesMax)}`,
      `${mebibytes(floor.rssBytesMax)} / ${mebibytes(floor.pssBytesMax)}`,
    ),
    row(
      "bytes on disk per entry",
      (run) => (run.storageBytes / run.entries).toFixed(1),
      (floor.storageBytes / entries).toFixed(1),
    ),
    row("… when nothing more is merged", (run, { restedBytes }) => (restedBytes / run.entries).toFixed(1), "–"),
    row("… of that in files that queries read", (run, { filesBytes }) => (filesBytes / run.entries).toFixed(1), "–"),
  ];
  const durable = runs.map(({ target }) => `  ${target.name}: ${target.durable}`);
  const pending = runs.map(({ target, run }) => `  ${target.name}: ${run.pending.map(whole).join("  ")}`);
  return [
    table(rows),
    "Guarantee of a 2xx:",
    ...durable,
    "Rows pending at each tenth of the sending:",
    ...pending,
  ].join("\n");
}

export function queryTable(asked: readonly Asked[]): string {
  const rows = asked.map(({ question, ms, toWarm, toFresh, toExpert, insideMs, rows: count, peerRows }) => [
    question.name,
    shown(insideMs, 1),
    ...(["mooring", "warm", "fresh", "expert", "victorialogs"] as const).map((column) => {
      const spread = ms[column];
      return spread === undefined ? "–" : shown(spread, 1);
    }),
    toWarm.toFixed(2),
    toFresh.toFixed(2),
    toExpert?.toFixed(2) ?? "–",
    peerRows === undefined ? String(count) : `${count}, peer ${peerRows}`,
  ]);
  const head = [
    "median (least to greatest), ms",
    "Mooring inside",
    "Mooring by HTTP",
    "DuckDB warm",
    "DuckDB fresh",
    "DuckDB expert",
    "VictoriaLogs",
    "× warm",
    "× fresh",
    "× expert",
    "rows",
  ];
  return table([head, ...rows]);
}
