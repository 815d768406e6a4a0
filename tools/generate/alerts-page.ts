import { PARTS, type Alert, type Family } from "../../server/src/kernel/metrics/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/server-alerts.md: what each alert means and what to do, for operators. */
export const alertsPage: Generated = { path: "docs/reference/server-alerts.md", render: () => renderAlerts(PARTS) };

const INTRODUCTION = `# Alerts

[deploy/prometheus/alerts.yaml](../../deploy/prometheus/alerts.yaml) has these rules. [Monitor with Prometheus and Grafana](../how-to/monitoring.md) shows how to load them.
Critical alerts need somebody now. Warnings need somebody on the same day. Start with \`mooring doctor\` on the server.

This page is generated from the table of metrics, \`server/src/kernel/metrics/families\`, by \`npm run generate\`. [Metrics](metrics.md) has all metrics.
`;

/** The faults that the tests cause, and the alerts that show them. */
const FAULTS: readonly (readonly [fault: string, ...alerts: string[]])[] = [
  ["The disk is full", "MooringStoreNotWritable", "MooringDiskAlmostFull"],
  ["The file system is read-only", "MooringStoreNotWritable"],
  ["The disk is slow or broken", "MooringSlowDisk", "MooringStoreNotWritable"],
  ["The clock is wrong", "MooringClockAhead", "MooringDeletionsHeld"],
  ["The database is stopped", "MooringRecordsUnreachable", "MooringStoreNotWritable"],
  ["The S3 store hangs or is gone", "MooringStoreNotWritable"],
  ["A backup or other periodic work fails", "MooringPeriodicWorkFails"],
  ["A job crashes its server", "MooringJobsParked", "MooringRestarts"],
  ["The thread that writes the records has died", "MooringRestarts", "MooringDown"],
  ["Deliveries are stuck", "MooringJobsFail", "MooringJobsLate"],
  ["A certificate is not renewed", "MooringCertificateExpiresSoon", "MooringCertificateExpires"],
  ["Somebody guesses passwords or secrets", "MooringSignInsFail"],
  ["Queries are slow", "MooringQueriesWait", "MooringQueriesRefused"],
  ["Telemetry is refused", "MooringTelemetryRefused"],
  ["A quota or rate limit is used up", "MooringRateLimited"],
  ["A layer of the sandbox is missing", "MooringSandboxLayerMissing"],
  ["The process for compaction is killed", "MooringCompactionFails"],
  ["Files of telemetry are damaged", "MooringTelemetryQuarantined"],
  ["The server is killed or does not start", "MooringDown", "MooringRestarts"],
];

type Parts = Readonly<Record<string, Readonly<Record<string, Family>>>>;

function renderAlerts(parts: Parts): string {
  const sections = Object.entries(parts).flatMap(([title, families]) => {
    const alerts = Object.values(families).flatMap((family) => family.alerts ?? []);
    return alerts.length === 0 ? [] : [`\n## ${title}\n${alerts.map(alertSection).join("")}`];
  });
  const names = new Set(Object.values(parts).flatMap((families) => namesOf(families)));
  const rows = FAULTS.map(
    ([fault, ...alerts]) => `| ${fault} | ${alerts.map((alert) => linkTo(alert, names)).join(", ")} |\n`,
  );
  const faults = `\n## Which alert shows which fault\n\n| fault | alerts |\n| --- | --- |\n${rows.join("")}`;
  return INTRODUCTION + faults + sections.join("");
}

function alertSection({ name, severity, for: duration, expression, remedy }: Alert): string {
  const kind = severity === "critical" ? "Critical" : "A warning";
  return `\n### ${name}\n\n${kind}, after ${duration}: \`${expression}\`\n\n${remedy}\n`;
}

function namesOf(families: Readonly<Record<string, Family>>): string[] {
  return Object.values(families).flatMap(({ alerts = [] }) => alerts.map(({ name }) => name));
}

function linkTo(alert: string, names: ReadonlySet<string>): string {
  if (!names.has(alert)) throw new Error(`there is no alert ${alert}`);
  return `[${alert}](#${alert.toLowerCase()})`;
}
