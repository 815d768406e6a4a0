import { showQuery, type Stop } from "./context.ts";

export const slowPaths: Stop = {
  title: "The slowest API paths, with a placeholder for each identifier",
  run: async (context) => {
    await showQuery(
      context,
      `WITH requests AS (
  SELECT (attributes->>'method') AS method, (attributes->>'duration_ms')::DOUBLE AS ms,
         regexp_replace(attributes->>'path', '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}', '{id}', 'g') AS path
  FROM logs
  WHERE (attributes->>'run') = $run AND (attributes->>'path') IS NOT NULL AND (attributes->>'duration_ms') IS NOT NULL
)
SELECT method, regexp_replace(path, '/[0-9]+(/|$)', '/{id}\\1', 'g') AS path, count(*) AS requests,
       round(avg(ms), 1) AS avg_ms, round(quantile_cont(ms, 0.95), 1) AS p95_ms, round(max(ms), 1) AS max_ms
FROM requests
GROUP BY ALL
ORDER BY p95_ms DESC
LIMIT 10`,
    );
    context.remember("the slowest API paths");
  },
};
