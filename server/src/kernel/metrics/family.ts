/**
 * One row of the table of metrics. The table generates docs/reference/metrics.md and docs/reference/server-alerts.md, the rules
 * in deploy/prometheus, their unit tests and panels of the dashboard. Tests compare it with a running server.
 */
export interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence without its period. */
  readonly help: string;
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds in ascending order, for histograms. */
  readonly buckets?: readonly number[];
  readonly alerts?: readonly Alert[];
}

/** All values of a label, or a limit for their number and what causes it. */
export type LabelValues = readonly string[] | LabelBound;

interface LabelBound {
  readonly bound: string;
  readonly max: number;
}

/** A rule of Prometheus. Texts may contain `{{ $labels.NAME }}` and `{{ $value }}`. */
export interface Alert {
  readonly name: string;
  /** The group in the rules file. */
  readonly group: "availability" | "process" | "security" | "storage" | "work";
  readonly expression: string;
  readonly for: string;
  readonly severity: "critical" | "warning";
  readonly summary: string;
  readonly description: string;
  /** What it means and what to do, in Markdown. Links are relative to docs/reference. */
  readonly remedy: string;
  /** The page of docs/how-to/bad-days whose steps end the fault. Default: the alert's section of the list of alerts. */
  readonly page?: string;
  /** The same condition over the numbers of this process, for the problems on the page Instance. */
  readonly problem?: ProblemRule;
  readonly test: AlertTest;
}

export interface ProblemRule {
  /** What happens, in words for the operator. `{label}` becomes the value of the label. */
  readonly text: string;
  /** A number of `/metrics`. */
  readonly metric: string;
  /** Considers only series with one of these values of a label. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
  /** Takes how much a counter has grown within these seconds, instead of its value. */
  readonly withinS?: number;
  /** Adds up the series with equal values of these labels. Default: each series alone. */
  readonly by?: readonly string[];
  readonly holds: (value: number, nowS: number) => boolean;
}

/** Input for promtool: the alert fires for the server `bad`, and never for `good`. */
interface AlertTest {
  /** Series without the labels `job` and `instance`, and their values at each minute, in promtool's notation. */
  readonly bad: Readonly<Record<string, string>>;
  /** As `bad`, just within the limit. Without it, there is no server `good`. */
  readonly good?: Readonly<Record<string, string>>;
  /** A time at which the alert does not fire yet, and one at which it fires. */
  readonly quietAt: string;
  readonly firesAt: string;
  /** Labels of the alert in addition to `severity`, `instance` and `job`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether the expression keeps the label `job`, or has no label at all; both are unusual. Default: `job` and `instance`. */
  readonly keeps?: "instance" | "job" | "both";
  /** What replaces `{{ $value … }}` in the texts. */
  readonly value?: string;
}
