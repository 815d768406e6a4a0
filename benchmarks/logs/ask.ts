import { isDeepStrictEqual } from "node:util";
import { spreadOf, type Spread } from "../lib/statistics.ts";
import type { Answered, ByHand } from "./by-hand.ts";
import type { Mooring } from "./mooring.ts";
import { asWritten, type Question } from "./queries.ts";
import type { VictoriaLogs } from "./victorialogs.ts";

type Column = "mooring" | "warm" | "fresh" | "expert" | "victorialogs";

export interface Asked {
  readonly question: Question;
  readonly ms: Partial<Record<Column, Spread>>;
  /** Medians of the ratios of each round. */
  readonly toWarm: number;
  readonly toFresh: number;
  readonly toExpert: number | undefined;
  /** The part of our time that the query process reports. The rest is HTTP, finding files, and waiting for a slot. */
  readonly insideMs: Spread;
  /** Set if the peer's answer has another number of rows. */
  readonly peerRows?: number;
  readonly rows: number;
}

const ROUNDS = 9;
const ROUNDS_MIN = 3;
/** Questions that take longer in total get fewer rounds. */
const QUESTION_MS_MAX = 120_000;

export interface Asking {
  readonly mooring: Mooring;
  readonly byHand: ByHand;
  readonly victorialogs: VictoriaLogs | undefined;
}

/** Asks all servers in turn, round by round. The first round is a warm-up, and checks that the answers are the same. */
export async function ask(asking: Asking, question: Question): Promise<Asked> {
  const inside: number[] = [];
  const ways = waysOf(asking, question, inside);
  const figures: Partial<Record<Column, number[]>> = {};
  const answers = new Map<Column, unknown[]>();
  const started = performance.now();
  for (let round = 0; round <= ROUNDS; round++) {
    if (round > ROUNDS_MIN && performance.now() - started > QUESTION_MS_MAX) break;
    for (const [column, run] of ways) {
      const { rows, ms } = await run();
      if (round === 0) answers.set(column, rows);
      else (figures[column] ??= []).push(ms);
    }
  }
  const own = answers.get("mooring") ?? [];
  for (const column of ["warm", "fresh", "expert"] as const) assertSame(question, own, answers.get(column));
  const peer = answers.get("victorialogs")?.length ?? own.length;
  const spreads = Object.entries(figures).map(([column, ms]) => [column, spreadOf(ms)] as const);
  return {
    question,
    ms: Object.fromEntries(spreads),
    toWarm: ratio(figures.mooring, figures.warm) ?? Number.NaN,
    toFresh: ratio(figures.mooring, figures.fresh) ?? Number.NaN,
    toExpert: ratio(figures.mooring, figures.expert),
    insideMs: spreadOf(inside.slice(1)),
    rows: own.length,
    ...(peer === own.length ? {} : { peerRows: peer }),
  };
}

/** `inside` gets the query time that our answers report. */
function waysOf(
  { mooring, byHand, victorialogs }: Asking,
  question: Question,
  inside: number[],
): [Column, () => Promise<Answered>][] {
  const own = async (): Promise<unknown[]> => {
    const { rows, elapsedMs } = await mooring.query(question.sql(asWritten));
    inside.push(elapsedMs);
    return rows;
  };
  const ways: [Column, () => Promise<Answered>][] = [
    ["mooring", () => timed(own)],
    ["warm", () => byHand.warm(question)],
    ["fresh", () => byHand.fresh(question)],
  ];
  const usesAttributes = question.sql(asWritten).includes("attributes->>");
  if (usesAttributes && byHand.promotedKeys.length > 0) ways.push(["expert", () => byHand.expert(question)]);
  const { logsql } = question;
  if (victorialogs !== undefined && logsql !== undefined)
    ways.push(["victorialogs", () => timed(() => victorialogs.query(logsql.query, logsql.limit))]);
  return ways;
}

async function timed(run: () => Promise<unknown[]>): Promise<Answered> {
  const startedMs = performance.now();
  const rows = await run();
  return { rows, ms: performance.now() - startedMs };
}

function ratio(ours: readonly number[] | undefined, theirs: readonly number[] | undefined): number | undefined {
  if (ours === undefined || theirs === undefined) return undefined;
  return spreadOf(ours.map((ms, i) => ms / (theirs[i] ?? Number.NaN))).median;
}

function assertSame(question: Question, own: readonly unknown[], theirs: readonly unknown[] | undefined): void {
  if (theirs === undefined || isDeepStrictEqual(own.map(plain), theirs.map(plain))) return;
  const shown = (rows: readonly unknown[]): string => JSON.stringify(rows.slice(0, 2).map(plain));
  throw new Error(
    `"${question.name}": ${own.length} rows ${shown(own)} are not ${theirs.length} rows ${shown(theirs)}`,
  );
}

/** Converts numbers and JSON that came as text, and times in DuckDB's form, to the form of our answers. */
function plain(row: unknown): unknown {
  const fields = Object.entries(row as Record<string, unknown>);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === "string" ? plainText(value) : value]),
  );
}

function plainText(text: string): unknown {
  if (text.startsWith("{")) return JSON.parse(text);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const time = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00|Z)$/.exec(text);
  return time === null ? text : `${time[1]}T${time[2]}.${(time[3] ?? "").padEnd(6, "0")}Z`;
}
