import { KEY_IN_TERMINAL, curlWith } from "./curl.ts";
import type { Agent } from "./agent.ts";

export const SPLUNK_AGENTS: readonly Agent[] = [
  {
    id: "splunk-curl",
    title: "curl, to Splunk's event collector",
    protocol: "splunk",
    file: "a terminal",
    language: "sh",
    use: KEY_IN_TERMINAL,
    text: ({ addresses, key, service }) => `${curlWith(key, "Authorization: Splunk")}
send_to_mooring "${addresses.ingest_url}/splunk/services/collector" \\
  --data-binary '{"event": "order shipped", "source": "${service}", "fields": {"level": "info"}}'
`,
  },
];
