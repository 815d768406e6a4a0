import { isListed, PARTS, type Family } from "../../server/src/kernel/metrics/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/metrics.md: every family of `/metrics`, for operators. */
export const metricsPage: Generated = { path: "docs/reference/metrics.md", render: () => renderMetrics(PARTS) };

type Parts = Readonly<Record<string, Readonly<Record<string, Family>>>>;

const INTRODUCTION = `# Metrics

\`metrics_listen\` (\`http://127.0.0.1:9464/metrics\`) has these metrics in Prometheus' text format. A server has no others: a test compares this page with a running server.
[Monitor with Prometheus and Grafana](../how-to/monitoring.md) shows how to read them, [alerts](server-alerts.md) what to do if one fires.

Names end with the unit. Counters end with \`_total\` and begin at 0 when the server starts. A moment is in seconds since 1970 (\`_timestamp_seconds\`): \`time() - NAME\` is the age. A gauge is absent while its part
can't answer. Organizations, projects and credentials are not labels.

This page is generated from \`server/src/kernel/metrics/families\` by \`npm run generate\`.
`;

function renderMetrics(parts: Parts): string {
  return (
    INTRODUCTION +
    Object.entries(parts)
      .map(([title, families]) => section(title, families))
      .join("")
  );
}

function section(title: string, families: Readonly<Record<string, Family>>): string {
  const rows = Object.entries(families).map(([name, family]) => row(name, family));
  return `\n## ${title}\n\n| metric | type | labels | meaning | alerts |\n| --- | --- | --- | --- | --- |\n${rows.join("")}`;
}

function row(name: string, { type, labels = {}, help, alerts = [] }: Family): string {
  const named = Object.entries(labels).map(([label, values]) => {
    const shown = isListed(values) ? values.map((value) => `\`${value}\``).join(", ") : values.bound;
    return `\`${label}\`: ${shown}`;
  });
  const linked = alerts.map((alert) => `[${alert.name}](server-alerts.md#${alert.name.toLowerCase()})`);
  return `| \`${name}\` | ${type} | ${named.join("; ")} | ${help.replaceAll("|", "\\|")} | ${linked.join(", ")} |\n`;
}
