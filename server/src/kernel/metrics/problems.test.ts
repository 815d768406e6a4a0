import assert from "node:assert/strict";
import { test } from "node:test";
import { FAMILIES, ProblemFinder, type Family, type Sample } from "./index.ts";

const MINUTE_S = 60;
const alerts = Object.values<Family>(FAMILIES).flatMap(({ alerts: own = [] }) => own);
const watched = alerts.filter(({ problem }) => problem !== undefined);

/** Returns the values of a series at each minute, from the notation of promtool. NaN: no value. */
function valuesOf(notation: string): number[] {
  return notation.split(" ").flatMap((part) => {
    const [, start = part, step = "+0", times = "0"] = /^(_|-?[\d.]+)([+-][\d.]+)?x(\d+)$/.exec(part) ?? [];
    return Array.from({ length: Number(times) + 1 }, (_, i) => Number(start) + i * Number(step));
  });
}

function samplesAt(series: Readonly<Record<string, string>>, minute: number): Sample[] {
  return Object.entries(series).flatMap(([key, notation]) => {
    const [, name = key, labels = ""] = /^(\w+)\{(.*)\}$/.exec(key) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [label, value]);
    const value = valuesOf(notation)[minute] ?? Number.NaN;
    return Number.isNaN(value) ? [] : [{ name, labels: Object.fromEntries(pairs) as Sample["labels"], value }];
  });
}

/** Returns the alerts whose condition the server finds at a minute of these series. */
function foundAt(series: Readonly<Record<string, string>>, minute: number): string[] {
  const finder = new ProblemFinder();
  for (let past = 0; past < minute; past++) finder.note(samplesAt(series, past), past * MINUTE_S);
  return finder.find(samplesAt(series, minute), minute * MINUTE_S).map(({ alert }) => alert);
}

test("the server finds a problem by the series that fire its alert, and not by those that do not", () => {
  assert.ok(watched.length > 10);
  for (const { name, test: series } of watched) {
    const minute = Number.parseInt(series.firesAt, 10);
    assert.ok(foundAt(series.bad, minute).includes(name), `${name} at ${series.firesAt}`);
    if (series.good !== undefined)
      assert.ok(!foundAt(series.good, minute).includes(name), `${name} is within its limit`);
  }
});

test("a problem names its labels and its page, and critical ones come first", () => {
  const finder = new ProblemFinder();
  const samples = [
    { name: "mooring_query_sandbox_layer", labels: { layer: "limits" }, value: 0 },
    { name: "mooring_store_failed", labels: { store: "objects", reason: "disk_full" }, value: 1 },
    { name: "mooring_store_failed", labels: { store: "telemetry", reason: "disk_full" }, value: 0 },
  ];
  const [first, second, ...others] = finder.find(samples, 0);
  assert.deepEqual(others, []);
  assert.deepEqual(first, {
    alert: "MooringDiskFull",
    severity: "critical",
    text: "The disk of the objects is full. Writes are refused, reads continue, and stored data is safe.",
    page: "docs/how-to/bad-days/disk-full.md",
  });
  assert.match(second?.text ?? "", /: limits\.$/);
});
