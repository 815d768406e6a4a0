import { curlWith, KEY_IN_TERMINAL } from "./curl.ts";
import type { Agent } from "./agent.ts";

export const RAW_AGENTS: readonly Agent[] = [
  {
    id: "curl-lines",
    title: "curl, plain lines",
    protocol: "raw",
    file: "a terminal",
    language: "sh",
    use: KEY_IN_TERMINAL,
    text: ({ addresses, key, service }) => `${curlWith(key, "X-Api-Key")}
echo "$(date -u +%FT%TZ) INFO order shipped" > app.log
send_to_mooring "${addresses.ingest_url}/raw/logs?service=${service}" --data-binary @app.log
`,
  },
  {
    id: "curl-ndjson",
    title: "curl, lines of JSON",
    protocol: "raw",
    file: "a terminal",
    language: "sh",
    use: `${KEY_IN_TERMINAL} The members may have the names that loggers use.`,
    text: ({ addresses, key, service }) => `${curlWith(key, "X-Api-Key")}
echo '{"time": "'$(date -u +%FT%TZ)'", "level": "info", "msg": "order shipped", "order": 7}' > app.ndjson
send_to_mooring "${addresses.ingest_url}/raw/logs?service=${service}" --data-binary @app.ndjson
`,
  },
];
