import { FAMILIES, pageOfAlert, type Alert, type Family } from "../../server/src/kernel/metrics/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates the rules of Prometheus, and the unit tests that promtool runs. The chart has a link to the rules. */
export const alertRules: Generated = { path: "deploy/prometheus/alerts.yaml", render: () => renderRules() };
export const alertTests: Generated = {
  path: "tests/deploy/alerts.test.yaml",
  render: () => TESTS_HEAD + ALERTS.map(testOf).join("\n"),
};

const ALERTS: readonly Alert[] = Object.values<Family>(FAMILIES).flatMap(({ alerts = [] }) => alerts);
const GROUPS = ["availability", "storage", "work", "security", "process"] as const;
const PAGE = "docs/reference/server-alerts.md";

const RULES_HEAD = `# Alerts for Prometheus. ${PAGE} says what each one means and what to do.
# The job of the scrape configuration must be \`mooring\`. npm run generate writes this file.
groups:
`;

/** `times` divides the durations, so that a test need not wait for minutes. */
export function renderRules(times = 1): string {
  const groups = GROUPS.map((group) => {
    const rules = ALERTS.filter((alert) => alert.group === group).map((alert) => rule(alert, times));
    return `  - name: mooring-${group}\n    rules:\n${rules.join("\n")}`;
  });
  return RULES_HEAD + groups.join("\n");
}

function rule(alert: Alert, times: number): string {
  const { name, expression, severity, summary, description } = alert;
  const short = (text: string): string =>
    text.replaceAll(/\[(\d+[smhd])\]/g, (_match, duration: string) => `[${divided(duration, times)}]`);
  return `      - alert: ${name}
        expr: ${JSON.stringify(times === 1 ? expression : short(expression))}
        for: ${divided(alert.for, times)}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          description: ${JSON.stringify(description)}
          runbook_url: ${pageOfAlert(alert)}
`;
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

function divided(duration: string, times: number): string {
  if (times === 1) return duration;
  const seconds = Number(duration.slice(0, -1)) * SECONDS[duration.slice(-1) as keyof typeof SECONDS];
  return `${Math.max(1, Math.round(seconds / times))}s`;
}

const TESTS_HEAD = `# Unit tests of deploy/prometheus/alerts.yaml: \`promtool test rules tests/deploy/alerts.test.yaml\`. Each alert does not fire
# before its time, then it fires for the server \`bad\`, and never for \`good\`. npm run generate writes this file.
rule_files:
  - ../../deploy/prometheus/alerts.yaml

evaluation_interval: 1m

tests:
`;

function testOf(alert: Alert): string {
  const { name, severity, test } = alert;
  const series = [...seriesOf(test.bad, "bad"), ...seriesOf(test.good ?? {}, "good")];
  const job = test.keeps === "instance" ? {} : { job: "mooring" };
  const instance = test.keeps === "job" ? {} : { instance: "bad" };
  const labels = { severity, ...instance, ...job, ...test.labels };
  const shown = (text: string): string =>
    text
      .replaceAll(
        /\{\{ \$labels\.(\w+) \}\}/g,
        (_match, label: string) => (labels as Record<string, string>)[label] ?? "",
      )
      .replaceAll(/\{\{ \$value[^}]*\}\}/g, test.value ?? "");
  return `  - name: ${name}
    interval: 1m
    input_series:
${series.map(([key, values]) => `      - series: ${JSON.stringify(key)}\n        values: ${JSON.stringify(values)}\n`).join("")}    alert_rule_test:
      - eval_time: ${test.quietAt}
        alertname: ${name}
      - eval_time: ${test.firesAt}
        alertname: ${name}
        exp_alerts:
          - exp_labels:
${Object.entries(labels)
  .map(([label, value]) => `              ${label}: ${JSON.stringify(value)}\n`)
  .join("")}            exp_annotations:
              summary: ${JSON.stringify(shown(alert.summary))}
              description: ${JSON.stringify(shown(alert.description))}
              runbook_url: ${pageOfAlert(alert)}
`;
}

/** Adds the labels that Prometheus adds, unless the series has a job. */
function seriesOf(series: Readonly<Record<string, string>>, instance: string): [series: string, values: string][] {
  return Object.entries(series).map(([key, values]) => {
    const [, name = key, labels = ""] = /^(\w+)\{(.*)\}$/.exec(key) ?? [];
    const job = labels.includes("job=") ? [] : ['job="mooring"'];
    return [`${name}{${[...job, `instance="${instance}"`, ...(labels === "" ? [] : [labels])].join(", ")}}`, values];
  });
}
