import type { DuckDBConnection } from "@duckdb/node-api";
import type { TimeRange } from "../../../snapshot.ts";
import type { Evaluate, Json } from "../../gate/index.ts";
import type { ChildQuery } from "../../protocol.ts";
import { bindNamed, nameParameters } from "../parameters.ts";
import { renderList } from "../render.ts";
import type { Condition, TimeConditions } from "./conditions.ts";

/** A range that includes both ends. An absent end is open. */
interface Span {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
}

const EVERYTHING: Span = { from: undefined, to: undefined };
/** The types of literals that can be compared with a time without a conversion. */
const TIMES: ReadonlySet<string> = new Set(["TIMESTAMP WITH TIME ZONE", "TIMESTAMP", "DATE"]);
const CUT = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the range of times that a statement can read, for each table. The engine computes the values in the
 * statement's transaction, so `now()` is the same moment. A value that can't be computed does not limit the range.
 */
export async function timeRanges(
  { tables, values }: TimeConditions,
  query: Pick<ChildQuery, "parameters">,
  connection: DuckDBConnection,
  evaluate: Evaluate,
): Promise<Map<string, TimeRange>> {
  const moments = values.length === 0 ? [] : await momentsOf(values, query, connection, evaluate);
  return new Map([...tables].map(([table, condition]) => [table, toRange(spanOf(condition, moments))]));
}

/** Returns each value in microseconds since the epoch. Undefined when it is not a time, or can't be computed in advance. */
async function momentsOf(
  values: readonly Json[],
  { parameters }: Pick<ChildQuery, "parameters">,
  connection: DuckDBConnection,
  evaluate: Evaluate,
): Promise<(bigint | undefined)[]> {
  const tried = values.map((value) => ({ class: "OPERATOR", type: "OPERATOR_TRY", alias: "", children: [value] }));
  const texts = await renderList(tried, evaluate, nameParameters);
  const selected = texts.map((text) => `epoch_us(TRY(CAST(${text} AS TIMESTAMPTZ))), typeof(${text})`);
  const statement = await connection.prepare(`SELECT ${selected.join(", ")}`);
  bindNamed(statement, parameters);
  const [row = []] = (await statement.runAndReadAll()).getRows();
  return values.map((value, i) => {
    const [us, type] = [row[2 * i], String(row[2 * i + 1])];
    const isText = value["class"] === "CONSTANT" || value["class"] === "PARAMETER";
    const comparable = TIMES.has(type) || (isText && type === "VARCHAR");
    return comparable && typeof us === "bigint" ? us : undefined;
  });
}

function spanOf(condition: Condition, moments: readonly (bigint | undefined)[]): Span {
  switch (condition.kind) {
    case "any":
      return EVERYTHING;
    case "all":
      return condition.parts.map((part) => spanOf(part, moments)).reduce(both, EVERYTHING);
    case "either":
      return condition.parts.map((part) => spanOf(part, moments)).reduce(either);
    case "bound": {
      const at = moments[condition.value];
      if (at === undefined) return EVERYTHING;
      return {
        from: condition.sign.startsWith("<") ? undefined : at,
        to: condition.sign.startsWith(">") ? undefined : at,
      };
    }
  }
}

function both(a: Span, b: Span): Span {
  const from = a.from === undefined || (b.from !== undefined && b.from > a.from) ? b.from : a.from;
  const to = a.to === undefined || (b.to !== undefined && b.to < a.to) ? b.to : a.to;
  return { from, to };
}

function either(a: Span, b: Span): Span {
  const from = a.from === undefined || b.from === undefined ? undefined : a.from < b.from ? a.from : b.from;
  const to = a.to === undefined || b.to === undefined ? undefined : a.to > b.to ? a.to : b.to;
  return { from, to };
}

/** Limits the values as the manifest does. An empty range stays empty. */
function toRange({ from, to }: Span): TimeRange {
  const range: { fromUs?: number; toUs?: number } = {};
  if (from !== undefined && from > -CUT) range.fromUs = Number(from < CUT ? from : CUT);
  if (to !== undefined && to < CUT) range.toUs = Number(to > -CUT ? to : -CUT) + 1;
  return range;
}
