import { showQuery, type Stop } from "./context.ts";

export const busiestMinutes: Stop = {
  title: "The ten busiest minutes",
  run: async (context) => {
    await showQuery(
      context,
      `SELECT date_trunc('minute', timestamp) AS minute, count(*) AS entries,
       count(*) FILTER (WHERE severity >= 17) AS errors, string_agg(DISTINCT attributes->>'source', ' ') AS sources
FROM logs
WHERE (attributes->>'run') = $run
GROUP BY minute
ORDER BY entries DESC, minute
LIMIT 10`,
    );
    context.remember("the ten busiest minutes");
  },
};
