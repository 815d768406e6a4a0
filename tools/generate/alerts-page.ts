import { PARTS, type Alert, type Family } from "../../server/src/kernel/metrics/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/server-alerts.md: what each alert means and what to do, for operators. */
export const alertsPage: Generated = { path: "docs/reference/server-alerts.md", render: () => renderAlerts(PARTS) };

const INTRODUCTION = `# Alerts

[deploy/prometheus/alerts.yaml](../../deploy/prometheus/alerts.yaml) has these rules. [Monitor with Prometheus and Grafana](../how-to/monitoring.md) shows how to load them.
Critical alerts need somebody now. Warnings need somebody on the same day. Start with \`mooring doctor\` on the server.

This page is generated from the table of metrics, \`server/src/kernel/metrics/families\`, by \`npm run generate\`. [Metrics](metrics.md) has all metrics.
`;

type Parts = Readonly<Record<string, Readonly<Record<string, Family>>>>;

export function renderAlerts(parts: Parts): string {
  const sections = Object.entries(parts).flatMap(([title, families]) => {
    const alerts = Object.values(families).flatMap((family) => family.alerts ?? []);
    return alerts.length === 0 ? [] : [`\n## ${title}\n${alerts.map(alertSection).join("")}`];
  });
  return INTRODUCTION + sections.join("");
}

function alertSection({ name, severity, for: duration, expression, remedy }: Alert): string {
  const kind = severity === "critical" ? "Critical" : "A warning";
  return `\n### ${name}\n\n${kind}, after ${duration}: \`${expression}\`\n\n${remedy}\n`;
}
