import { FAMILIES } from "./families/index.ts";
import type { Alert, Family, ProblemRule } from "./family.ts";
import type { Sample } from "./registry.ts";

/** A problem that the server has now. */
export interface ServerProblem {
  /** The alert with the same condition. */
  readonly alert: string;
  readonly severity: "critical" | "warning";
  readonly text: string;
  /** The page of the documentation whose steps end it. */
  readonly page: string;
}

interface Snapshot {
  readonly atS: number;
  readonly values: ReadonlyMap<string, number>;
}

/** An alert whose condition the server evaluates itself. */
type Watched = Alert & { readonly problem: ProblemRule };

const PAGES = "docs/how-to/bad-days";
const ALERT_PAGE = "docs/reference/server-alerts.md";

const WATCHED: readonly Watched[] = Object.values<Family>(FAMILIES).flatMap(({ alerts = [] }) =>
  alerts.filter((alert): alert is Watched => alert.problem !== undefined),
);
const COUNTERS = new Set(WATCHED.flatMap(({ problem }) => (problem.withinS === undefined ? [] : [problem.metric])));
const WINDOW_S = Math.max(...WATCHED.map(({ problem }) => problem.withinS ?? 0));

/** The families that the conditions read. */
export const PROBLEM_METRICS: ReadonlySet<string> = new Set(WATCHED.map(({ problem }) => problem.metric));

/** Returns the page that an alert links to. */
export function pageOfAlert({ name, page }: Pick<Alert, "name" | "page">): string {
  return page === undefined ? `${ALERT_PAGE}#${name.toLowerCase()}` : `${PAGES}/${page}.md`;
}

/** Evaluates the conditions of the table of metrics, without a Prometheus. Keeps the counters of the last minutes. */
export class ProblemFinder {
  readonly #past: Snapshot[] = [];

  /** Keeps the counters of this moment. */
  note(samples: readonly Sample[], nowS: number): void {
    const counters = samples.filter(({ name }) => COUNTERS.has(name));
    this.#past.push({ atS: nowS, values: new Map(counters.map((sample) => [keyOf(sample), sample.value])) });
    while ((this.#past[0]?.atS ?? nowS) < nowS - WINDOW_S) this.#past.shift();
  }

  /** Returns the problems, the critical ones first. */
  find(samples: readonly Sample[], nowS: number): ServerProblem[] {
    const found = WATCHED.flatMap((alert) => this.#problemsOf(alert, samples, nowS));
    return found.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
  }

  #problemsOf(alert: Watched, samples: readonly Sample[], nowS: number): ServerProblem[] {
    const { problem, name, severity } = alert;
    const sums = new Map<string, { value: number; readonly labels: Sample["labels"] }>();
    for (const sample of samples) {
      if (sample.name !== problem.metric || !isChosen(sample, problem)) continue;
      const value = problem.withinS === undefined ? sample.value : this.#growth(sample, nowS - problem.withinS);
      const group = (problem.by ?? Object.keys(sample.labels)).map((label) => sample.labels[label]).join("\0");
      const sum = sums.get(group);
      if (sum === undefined) sums.set(group, { value, labels: sample.labels });
      else sum.value += value;
    }
    return [...sums.values()]
      .filter(({ value }) => problem.holds(value, nowS))
      .map(({ labels }) => ({ alert: name, severity, text: textOf(problem, labels), page: pageOfAlert(alert) }));
  }

  /** Counters begin at 0 with the process, so an unknown series was 0. */
  #growth(sample: Sample, sinceS: number): number {
    const oldest = this.#past.find(({ atS }) => atS >= sinceS);
    return oldest === undefined ? 0 : Math.max(0, sample.value - (oldest.values.get(keyOf(sample)) ?? 0));
  }
}

function isChosen({ labels }: Sample, { only = {} }: ProblemRule): boolean {
  return Object.entries(only).every(([label, values]) => values.includes(labels[label] ?? ""));
}

function textOf({ text }: ProblemRule, labels: Sample["labels"]): string {
  return text.replaceAll(/\{(\w+)\}/g, (_match, label: string) => labels[label] ?? "");
}

function keyOf({ name, labels }: Sample): string {
  return `${name}\0${Object.values(labels).join("\0")}`;
}
