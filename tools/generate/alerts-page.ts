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
  ["The disk is full", "MooringDiskFull", "MooringDiskAlmostFull"],
  ["The file system is read-only", "MooringDiskReadOnly"],
  ["The disk is slow or broken", "MooringSlowDisk", "MooringDiskReadOnly"],
  ["The clock is wrong", "MooringClockAhead", "MooringDeletionsHeld"],
  ["The database is stopped", "MooringRecordsUnreachable"],
  ["The S3 store hangs or is gone", "MooringStoreHangs"],
  ["A backup fails", "MooringBackupFails", "MooringBackupOld"],
  ["A job fails, or crashes its server", "MooringJobsFail", "MooringJobsParked"],
  ["Other periodic work fails", "MooringPeriodicWorkFails"],
  ["The thread that writes the records has died", "MooringServerDied", "MooringRestarts"],
  ["Deliveries are stuck", "MooringDeliveriesStuck", "MooringJobsLate"],
  ["A certificate is not renewed", "MooringCertificateExpires", "MooringCertificateExpiresSoon"],
  ["Somebody guesses passwords or secrets", "MooringSignInsFail"],
  ["Queries are slow", "MooringQueriesRefused", "MooringQueriesWait"],
  ["Telemetry is refused", "MooringTelemetryRefused"],
  ["A quota is used up", "MooringQuotaFull"],
  ["A rate limit is used up", "MooringRateLimited"],
  ["A layer of the sandbox is missing", "MooringSandboxLayerMissing"],
  ["The process for compaction is killed", "MooringCompactionFails"],
  ["Files of telemetry are damaged", "MooringTelemetryQuarantined"],
  ["The server is killed or does not start", "MooringDown", "MooringRestarts"],
];

type Parts = Readonly<Record<string, Readonly<Record<string, Family>>>>;

function renderAlerts(parts: Parts): string {
  const sections = Object.entries(parts).flatMap(([title, families]) => {
    const own = alertsOf(families);
    return own.length === 0 ? [] : [`\n## ${title}\n${own.map(alertSection).join("")}`];
  });
  const alerts = Object.values(parts).flatMap((families) => alertsOf(families));
  const rows = FAULTS.map(([fault, ...names]) => {
    const shown = names.map((name) => alerts.find((alert) => alert.name === name) ?? missing(name));
    const page = shown.find((alert) => alert.page !== undefined)?.page;
    return `| ${fault} | ${shown.map(linkTo).join(", ")} | ${page === undefined ? "" : stepsOf(page)} |\n`;
  });
  const faults = `\n## Which alert shows which fault\n\n| fault | alerts | steps |\n| --- | --- | --- |\n${rows.join("")}`;
  return INTRODUCTION + faults + sections.join("");
}

function alertSection({ name, severity, for: duration, expression, remedy, page }: Alert): string {
  const kind = severity === "critical" ? "Critical" : "A warning";
  return `\n### ${name}\n\n${kind}, after ${duration}: \`${expression}\`\n\n${remedy}\n${page === undefined ? "" : `\nThe steps that end it: ${stepsOf(page)}.\n`}`;
}

function stepsOf(page: string): string {
  return `[${page}](../how-to/bad-days/${page}.md)`;
}

function alertsOf(families: Readonly<Record<string, Family>>): Alert[] {
  return Object.values(families).flatMap(({ alerts = [] }) => alerts);
}

function linkTo({ name }: Alert): string {
  return `[${name}](#${name.toLowerCase()})`;
}

function missing(name: string): never {
  throw new Error(`there is no alert ${name}`);
}
