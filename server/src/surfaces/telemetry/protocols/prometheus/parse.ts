import { isoFromMs } from "#kernel/time.ts";
import type { JsonObject } from "../../wire/check.ts";
import { objectOf } from "../../wire/otlp/values.ts";
import { decodeProtobuf } from "../../wire/protobuf/decode.ts";
import type { RecordRows } from "../../wire/records.ts";
import type { ParseContext, Report } from "../parser.ts";
import { expandNative, type NativeSample } from "./histograms.ts";
import { REQUEST_1, REQUEST_2, type Histogram, type Request1, type Request2, type Sample } from "./messages.ts";

/** The figures of a request for its answer. */
export interface Written {
  /** Samples and histograms that were taken. Those without a value are taken, too, and have no row. */
  samples: number;
  histograms: number;
  /** The first fault. */
  fault: string | null;
}

/** The numbers of values without a row: NaN, marks of ended series, infinities, and exemplars. */
interface SkippedValues {
  nan: number;
  stale: number;
  infinite: number;
  exemplar: number;
}

export interface PrometheusReport extends Report {
  readonly written: Written;
  readonly skipped: Readonly<SkippedValues>;
}

const NAME = "__name__";
/** Beyond these times, a date has no four digits for its year. */
const MS_MIN = -62_135_596_800_000;
const MS_MAX = 253_402_300_799_999;

interface SeriesPoints {
  readonly samples?: readonly Sample[];
  readonly histograms?: readonly Histogram[];
  readonly exemplars?: readonly object[];
}

/** Reads a WriteRequest (Prometheus, "Remote Write 1.0 specification"). @throws Problem as `decodeProtobuf` */
export function parsePrometheus1(body: Buffer, { out }: ParseContext): PrometheusReport {
  const series = new SeriesReader(out);
  const { timeseries = [] } = decodeProtobuf(REQUEST_1, body) as Request1;
  for (const each of timeseries) {
    series.add(pairsOfLabels(each.labels), each);
  }
  return series.report();
}

/** Reads a Request (Prometheus, "Remote Write 2.0 specification"). @throws Problem as `decodeProtobuf` */
export function parsePrometheus2(body: Buffer, { out }: ParseContext): PrometheusReport {
  const series = new SeriesReader(out);
  const { symbols = [], timeseries = [] } = decodeProtobuf(REQUEST_2, body) as Request2;
  for (const each of timeseries) {
    series.add(pairsOfSymbols(each.labelsRefs ?? [], symbols), each);
  }
  return series.report();
}

type Pairs = readonly (readonly [string, string])[];

function pairsOfLabels(labels: readonly { readonly name?: string; readonly value?: string }[] = []): Pairs {
  return labels.map(({ name = "", value = "" }) => [name, value]);
}

/** Undefined when a reference has no symbol, or a name has no value. */
function pairsOfSymbols(refs: readonly number[], symbols: readonly string[]): Pairs | undefined {
  if (refs.length % 2 !== 0 || refs.some((ref) => ref >= symbols.length)) return undefined;
  const pairs: [string, string][] = [];
  for (let at = 0; at < refs.length; at += 2) {
    pairs.push([symbols[refs[at] as number] as string, symbols[refs[at + 1] as number] as string]);
  }
  return pairs;
}

/** Adds the samples of one series after another. */
class SeriesReader {
  readonly #written: Written = { samples: 0, histograms: 0, fault: null };
  readonly #skipped: SkippedValues = { nan: 0, stale: 0, infinite: 0, exemplar: 0 };
  readonly #out: RecordRows;

  constructor(out: RecordRows) {
    this.#out = out;
  }

  report(): PrometheusReport {
    return { written: this.#written, skipped: { ...this.#skipped } };
  }

  /** Labels keep their order. A label without a value is absent ("Remote Write 1.0", "Labels"). */
  add(pairs: Pairs | undefined, { samples = [], histograms = [], exemplars = [] }: SeriesPoints): void {
    this.#skipped.exemplar += exemplars.length;
    const name = pairs?.find(([label]) => label === NAME)?.[1];
    const tags = objectOf((pairs ?? []).filter(([label, value]) => label !== NAME && value !== ""));
    const fault = pairs === undefined ? "labels_refs has a reference without a symbol" : undefined;
    const series: Series = { name: name === "" ? undefined : name, tags, fault };
    for (const sample of samples) if (this.#addSample(series, sample)) this.#written.samples += 1;
    for (const histogram of histograms) if (this.#addHistogram(series, histogram)) this.#written.histograms += 1;
  }

  #addSample(series: Series, { value = 0, timestamp = 0 }: Sample): boolean {
    if (this.#isWithoutValue(value)) return true;
    return this.#addRows(series, timestamp, [{ suffix: "", value: value as number }]);
  }

  #addHistogram(series: Series, histogram: Histogram): boolean {
    if (histogram.sum === null) {
      this.#skipped.stale += 1;
      return true;
    }
    const { samples, fault } = expandNative(histogram);
    return this.#addRows(fault === undefined ? series : { ...series, fault }, histogram.timestamp ?? 0, samples);
  }

  /** Such samples are usual. A fault would make Prometheus log an error for each scrape. */
  #isWithoutValue(value: number | null): boolean {
    if (value !== null && Number.isFinite(value)) return false;
    this.#skipped[value === null ? "stale" : Number.isNaN(value) ? "nan" : "infinite"] += 1;
    return true;
  }

  #addRows({ name, tags, fault }: Series, time: number | bigint, samples: readonly NativeSample[]): boolean {
    const ms = Number(time);
    const inRange = ms >= MS_MIN && ms <= MS_MAX;
    const timestamp = isoFromMs(inRange ? ms : 0);
    const rows = samples.map(({ suffix, value, le }) => {
      const own = le === undefined ? tags : { ...tags, le };
      return { entry: { timestamp, name: name === undefined ? undefined : name + suffix, value, tags: own } };
    });
    const faults = fault === undefined ? [] : [{ pointer: "", detail: fault }];
    if (!inRange) faults.push({ pointer: "/timestamp", detail: "must be a time in the years 1 to 9999" });
    const refused = this.#out.add({ rows, faults });
    if (refused !== undefined) this.#written.fault ??= `${name ?? "a series without __name__"}: ${refused}`;
    return refused === undefined;
  }
}

interface Series {
  readonly name: string | undefined;
  readonly tags: JsonObject | undefined;
  readonly fault: string | undefined;
}
