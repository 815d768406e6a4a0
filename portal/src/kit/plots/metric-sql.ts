import type { Plot } from "./plots.ts";

/** The number of separate lines. One more line has the rest. */
export const LINES_MAX = 8;
export const METRICS_MAX = 2000;

export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** How long before the range the query starts, since a difference needs the previous point. */
  readonly earlierS: number;
}

interface Asked {
  readonly plot: Plot;
  readonly stepS: number;
  /** Null: all projects. */
  readonly projectId: string | null;
}

const LOOKBACK_S = 300;
const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/**
 * Returns the statement whose rows are the points of a plot: `bin`, `size`, `total`, `series` (NULL: the rest),
 * `value`, and `le` of histograms.
 */
export function statementOf({ plot, stepS, projectId }: Asked): Statement {
  const isHistogram = plot.name.endsWith("_bucket") && plot.aggregation in QUANTILES;
  const isRate = plot.aggregation === "rate";
  return {
    sql: isHistogram ? bucketSql(projectId) : isRate ? rateSql(projectId) : valueSql(plot, projectId),
    parameters: {
      name: plot.name,
      tag: plot.by ?? "",
      step: stepS,
      ...(projectId === null ? {} : { project: projectId }),
    },
    earlierS: isHistogram || isRate ? Math.max(LOOKBACK_S, 2 * stepS) : 0,
  };
}

export function quantileOf({ name, aggregation }: Plot): number | null {
  if (!name.endsWith("_bucket")) return null;
  return aggregation in QUANTILES ? QUANTILES[aggregation as keyof typeof QUANTILES] : null;
}

function whereOf(projectId: string | null): string {
  return `name = $name${projectId === null ? "" : " AND project_id = $project"}`;
}

const SERIES = "coalesce(tags[$tag], '')";
const TOP = `CASE WHEN place <= ${LINES_MAX} THEN series END`;

function valueSql({ aggregation }: Plot, projectId: string | null): string {
  const value =
    aggregation === "p50" || aggregation === "p95" || aggregation === "p99"
      ? `quantile_cont(value, ${QUANTILES[aggregation]})`
      : `${aggregation}(value)`;
  const rank = aggregation === "sum" ? "sum(value)" : "avg(value)";
  return `WITH points AS (
  SELECT floor(epoch(timestamp) / $step) * $step AS bin, ${SERIES} AS series, value
  FROM metrics WHERE ${whereOf(projectId)}
), ranked AS (
  SELECT series, row_number() OVER (ORDER BY ${rank} DESC, series) AS place, count(*) OVER () AS total
  FROM points GROUP BY series
)
SELECT bin, $step AS size, total, ${TOP} AS series, ${value} AS value
FROM points JOIN ranked USING (series) GROUP BY ALL ORDER BY bin`;
}

/**
 * Returns the points of each line with the increase since the previous point. For deltas, and after a reset, the
 * increase is the whole value.
 */
function stepsSql(projectId: string | null): string {
  return `points AS (
  SELECT epoch(timestamp) AS s, value, tags::VARCHAR AS line, ${SERIES} AS series, tags['le'] AS le,
    coalesce(tags['aggregation.temporality'] = 'delta', false) AS is_delta
  FROM metrics WHERE ${whereOf(projectId)}
), steps AS (
  SELECT s, series, line, le, s - lag(s) OVER w AS passed,
    CASE WHEN is_delta OR value < lag(value) OVER w THEN value ELSE value - lag(value) OVER w END AS grown
  FROM points WINDOW w AS (PARTITION BY line ORDER BY s)
), bins AS (
  SELECT greatest($step, ceil(2 * quantile_cont(passed, 0.5))) AS size FROM steps WHERE passed > 0
)`;
}

/**
 * Rates per bin. A bin is at least as long as the distance of two points of a line, so that each bin has points of all
 * lines.
 */
function rateSql(projectId: string | null): string {
  return `WITH ${stepsSql(projectId)}, rates AS (
  SELECT floor(s / size) * size AS bin, size, series, line, sum(grown) / sum(passed) AS rate
  FROM steps, bins WHERE passed > 0 GROUP BY ALL
), ranked AS (
  SELECT series, row_number() OVER (ORDER BY sum(rate) DESC, series) AS place, count(*) OVER () AS total
  FROM rates GROUP BY series
)
SELECT bin, size, total, ${TOP} AS series, sum(rate) AS value
FROM rates JOIN ranked USING (series) GROUP BY ALL ORDER BY bin`;
}

/** Returns the increase of each bucket. `quantilePoints` estimates the quantile from them. */
function bucketSql(projectId: string | null): string {
  return `WITH ${stepsSql(projectId)}, ranked AS (
  SELECT series, row_number() OVER (ORDER BY sum(grown) DESC, series) AS place, count(*) OVER () AS total
  FROM steps WHERE passed > 0 GROUP BY series
)
SELECT floor(s / size) * size AS bin, size, total, ${TOP} AS series, le, sum(grown) AS value
FROM steps JOIN ranked USING (series), bins WHERE passed > 0 AND le IS NOT NULL GROUP BY ALL ORDER BY bin`;
}

/** Lists the names of metrics, with the tags for kind and unit. */
export function listSql(projectId: string | null): string {
  return `SELECT name, count(*) AS points, max(timestamp) AS newest, any_value(tags['unit']) AS unit,
  coalesce(bool_or(tags['aggregation.temporality'] = 'delta'), false) AS is_delta, count(*) OVER () AS total
FROM metrics${projectId === null ? "" : " WHERE project_id = $project"} GROUP BY name ORDER BY name LIMIT ${METRICS_MAX}`;
}

export function tagsSql(projectId: string | null): string {
  return `SELECT DISTINCT unnest(map_keys(tags)) AS tag FROM metrics WHERE ${whereOf(projectId)} ORDER BY tag LIMIT 200`;
}
