import { traceId, tracesOf, type Shape } from "./entries.ts";

/** Returns the SQL of an attribute as text: as users write it, or as the column of a promoted attribute. */
export type AttributeText = (key: string) => string;

/** A question of a log explorer, in our SQL and, if the peer can answer it, in LogsQL. */
export interface Question {
  readonly name: string;
  sql(attribute: AttributeText): string;
  readonly logsql?: { readonly query: string; readonly limit?: number };
}

export const asWritten: AttributeText = (key) => `(attributes->>'${key}')`;

export function questionsFor(shape: Shape): readonly Question[] {
  return [...LOOKUPS, traceById(traceId(shape, Math.floor(tracesOf(shape) * 0.6))), ...SUMMARIES];
}

function traceById(trace: string): Question {
  return {
    name: "trace by id",
    sql: () => `SELECT * FROM logs WHERE trace_id = '${trace}' ORDER BY timestamp`,
    logsql: { query: `trace_id:=${trace}` },
  };
}

const LOOKUPS: readonly Question[] = [
  {
    name: "last 100",
    sql: () => "SELECT * FROM logs ORDER BY timestamp DESC LIMIT 100",
    logsql: { query: "*", limit: 100 },
  },
  {
    name: "substring, last 100",
    sql: () =>
      "SELECT timestamp, service, message FROM logs WHERE message LIKE '%host was found for i-00000a%' ORDER BY timestamp DESC LIMIT 100",
    logsql: { query: '_msg:"host was found for i-00000a"* | fields _time, service, _msg', limit: 100 },
  },
  {
    name: "by attribute",
    sql: (attribute) =>
      `SELECT timestamp, level, message FROM logs WHERE ${attribute("user.id")} = 'u-101010' ORDER BY timestamp DESC LIMIT 100`,
    logsql: { query: '"attributes.user.id":=u-101010 | fields _time, level, _msg', limit: 100 },
  },
];

const SUMMARIES: readonly Question[] = [
  {
    name: "count by level",
    sql: () => "SELECT level, count(*) AS n FROM logs GROUP BY level ORDER BY level",
    logsql: { query: "* | stats by (level) count() n" },
  },
  {
    name: "histogram by minute",
    sql: () =>
      "SELECT date_trunc('minute', timestamp) AS minute, count(*) AS n FROM logs GROUP BY minute ORDER BY minute",
    logsql: { query: "* | stats by (_time:1m) count() n" },
  },
  {
    name: "percentile by route",
    sql: (attribute) =>
      `SELECT ${attribute("http.route")} AS route, quantile_cont(${attribute("duration_ms")}::DOUBLE, 0.95) AS p95 ` +
      `FROM logs WHERE ${attribute("http.route")} IS NOT NULL GROUP BY route ORDER BY route`,
    logsql: {
      query:
        '"attributes.http.route":* | stats by ("attributes.http.route") quantile(0.95, "attributes.duration_ms") p95',
    },
  },
  {
    name: "distinct",
    sql: (attribute) => `SELECT count(DISTINCT ${attribute("client_ip")}) AS n FROM logs`,
    logsql: { query: '* | stats count_uniq("attributes.client_ip") n' },
  },
  {
    name: "top 10",
    sql: (attribute) =>
      `SELECT ${attribute("user.id")} AS u, count(*) AS n FROM logs WHERE ${attribute("user.id")} IS NOT NULL ` +
      "GROUP BY u ORDER BY n DESC, u LIMIT 10",
    logsql: {
      query:
        '"attributes.user.id":* | stats by ("attributes.user.id") count() n | sort by (n desc, "attributes.user.id") limit 10',
    },
  },
  {
    name: "logs with their spans",
    sql: () =>
      "SELECT t.name, count(*) AS n, max(t.duration_ms) AS slowest FROM logs l JOIN traces t " +
      "ON t.trace_id = l.trace_id AND t.span_id = l.span_id WHERE l.level = 'error' GROUP BY t.name ORDER BY t.name",
  },
];
