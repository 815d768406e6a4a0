import { FAMILIES } from "./families/index.ts";
import type { Family, LabelValues } from "./family.ts";

type Families = typeof FAMILIES;
/** The names of all families of a type. */
type MetricName<T extends Family["type"] = Family["type"]> = {
  [N in keyof Families]: Families[N]["type"] extends T ? N : never;
}[keyof Families];
/** The labels of a family, each with its possible values. */
export type LabelsOf<N extends MetricName> = Families[N] extends { readonly labels: infer L }
  ? { readonly [K in keyof L]: L[K] extends readonly (infer V extends string)[] ? V : string }
  : object;

/** What a scrape reads: one number for a family without labels, a list otherwise. Null: unknown, so it is left out. */
type Reading<L> = number | null | readonly (readonly [labels: L, value: number])[];

export interface Counter<L> {
  inc(labels: L, by?: number): void;
  /** Returns a function that counts with these labels. Keep it where each nanosecond counts. */
  with(labels: L): () => void;
}

export interface Histogram<L> {
  observe(value: number, labels: L): void;
  with(labels: L): (value: number) => void;
}

/** A number as Prometheus stores it: those of a histogram have names with a suffix. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Creating all series of a counter at 0 lets `increase()` see the first event. With more series, this costs too much. */
const ZERO_SERIES_MAX = 100;
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** The labels in the text format, without braces. */
  readonly text: string;
  value: number;
  /** How many values each bucket of a histogram has, without those of smaller buckets; the last one has no bound. */
  readonly counts: Float64Array | null;
}

type Source = () => Reading<object> | Promise<Reading<object>>;

/** The metrics of a process: one series for each family of the table and combination of labels. */
export class Metrics {
  readonly #families = new Map<string, FamilySeries>(
    Object.entries(FAMILIES).map(([name, family]) => [name, new FamilySeries(name, family)]),
  );

  counter<N extends MetricName<"counter">>(name: N): Counter<LabelsOf<N>> {
    const family = this.#family(name);
    return {
      inc: (labels, by = 1) => {
        family.series(labels as Record<string, string>).value += by;
      },
      with: (labels) => {
        const series = family.series(labels as Record<string, string>);
        return () => {
          series.value += 1;
        };
      },
    };
  }

  histogram<N extends MetricName<"histogram">>(name: N): Histogram<LabelsOf<N>> {
    const family = this.#family(name);
    return {
      observe: (value, labels) => family.observe(value, family.series(labels as Record<string, string>)),
      with: (labels) => {
        const series = family.series(labels as Record<string, string>);
        return (value) => family.observe(value, series);
      },
    };
  }

  /** Adds a source that each scrape reads. Several sources of a family have different labels. A rejection leaves it out. */
  read<N extends MetricName<"counter" | "gauge">>(
    name: N,
    source: () => Reading<LabelsOf<N>> | Promise<Reading<LabelsOf<N>>>,
  ): void {
    this.#family(name).sources.push(source);
  }

  /** Returns all metrics in Prometheus' text format. */
  async text(): Promise<string> {
    await this.#readSources();
    let text = "";
    for (const family of this.#families.values()) text += family.text();
    return text;
  }

  /** Returns all numbers, or those of some families. */
  async samples(names?: ReadonlySet<string>): Promise<Sample[]> {
    const families = [...this.#families].flatMap(([name, family]) => ((names?.has(name) ?? true) ? [family] : []));
    await Promise.all(families.map((family) => family.readSources()));
    return families.flatMap((family) => family.samples());
  }

  async #readSources(): Promise<void> {
    await Promise.all([...this.#families.values()].map((family) => family.readSources()));
  }

  #family(name: string): FamilySeries {
    const family = this.#families.get(name);
    if (family === undefined) throw new Error(`${name} is not in the table of metrics`);
    return family;
  }
}

class FamilySeries {
  readonly sources: Source[] = [];
  readonly #name: string;
  readonly #family: Family;
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #head: string;
  #series = new Map<string, Series>();

  constructor(name: string, family: Family) {
    this.#name = name;
    this.#family = family;
    this.#labelNames = Object.keys(family.labels ?? {});
    this.#bounds = family.buckets ?? [];
    this.#head = `# HELP ${name} ${family.help.replaceAll("\\", String.raw`\\`)}.\n# TYPE ${name} ${family.type}\n`;
    if (family.type !== "gauge") for (const labels of allLabels(family)) this.series(labels);
  }

  series(labels: Readonly<Record<string, string>>): Series {
    let key = "";
    for (const name of this.#labelNames) key += `${labels[name]}\0`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const text = this.#labelNames.map((name) => `${name}="${escapeLabel(labels[name] ?? "")}"`).join(",");
    const counts = this.#family.type === "histogram" ? new Float64Array(this.#bounds.length + 1) : null;
    const own = Object.fromEntries(this.#labelNames.map((name) => [name, labels[name] ?? ""]));
    const made: Series = { labels: own, text, value: 0, counts };
    this.#series.set(key, made);
    return made;
  }

  observe(value: number, series: Series): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket += 1;
    if (series.counts !== null) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.value += value;
  }

  async readSources(): Promise<void> {
    if (this.sources.length === 0) return;
    const readings = await Promise.all(
      this.sources.map(async (source) => source()).map((read) => read.catch(() => null)),
    );
    this.#series = new Map();
    for (const reading of readings) {
      if (reading === null) continue;
      const list = typeof reading === "number" ? [[{}, reading] as const] : reading;
      for (const [labels, value] of list) this.series(labels as Record<string, string>).value = value;
    }
  }

  text(): string {
    let text = this.#head;
    for (const series of this.#series.values())
      this.#each(series, (suffix, bound, value) => {
        const more = bound === null ? "" : `le="${bound}"`;
        const labels = series.text === "" || more === "" ? series.text + more : `${series.text},${more}`;
        text += `${this.#name}${suffix}${labels === "" ? "" : `{${labels}}`} ${valueText(value)}\n`;
      });
    return text;
  }

  samples(): Sample[] {
    const samples: Sample[] = [];
    for (const series of this.#series.values())
      this.#each(series, (suffix, bound, value) => {
        const labels = bound === null ? series.labels : { ...series.labels, le: bound };
        samples.push({ name: this.#name + suffix, labels, value });
      });
    return samples;
  }

  /** Calls `visit` for each number of a series. Buckets become cumulative here only. */
  #each(series: Series, visit: (suffix: string, bound: string | null, value: number) => void): void {
    const { counts, value } = series;
    if (counts === null) {
      visit("", null, value);
      return;
    }
    let total = 0;
    for (let i = 0; i < counts.length; i += 1) {
      total += counts[i] ?? 0;
      visit("_bucket", i < this.#bounds.length ? String(this.#bounds[i]) : "+Inf", total);
    }
    visit("_sum", null, value);
    visit("_count", null, total);
  }
}

/** Lists all combinations of labels, if all their values are listed and they are few. */
function allLabels({ labels = {} }: Family): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (!isListed(values) || combinations.length * values.length > ZERO_SERIES_MAX) return [];
    combinations = combinations.flatMap((labelsSoFar) => values.map((value) => ({ ...labelsSoFar, [name]: value })));
  }
  return combinations;
}

export function isListed(values: LabelValues): values is readonly string[] {
  return Array.isArray(values);
}

function escapeLabel(value: string): string {
  return value
    .replaceAll("\\", String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`);
}

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
