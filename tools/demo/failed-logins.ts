import { showQuery, type Stop } from "./context.ts";

export const failedLogins: Stop = {
  title: "Failed SSH logins by address",
  run: async (context) => {
    // syslog combines equal lines into "message repeated 5 times: [ … ]", which counts as five failures.
    await showQuery(
      context,
      `SELECT (attributes->>'client_ip') AS address,
       sum(coalesce(try_cast(regexp_extract(message, 'repeated ([0-9]+) times', 1) AS INTEGER), 1)) AS failures,
       count(DISTINCT (attributes->>'user')) AS users, min(timestamp) AS first, max(timestamp) AS last
FROM logs
WHERE (attributes->>'run') = $run AND service = 'sshd' AND message LIKE '%Failed password for %'
GROUP BY address
ORDER BY failures DESC, address
LIMIT 10`,
    );
    context.remember("the addresses that failed to log in by SSH");
  },
};
