import assert from "node:assert/strict";
import { test } from "node:test";
import { FAMILIES, isListed, type Family } from "./index.ts";

const families = Object.entries<Family>(FAMILIES);
const UNITS = /_(seconds|bytes|ratio|info|total|rows|files|fds)$/;
/** Gauges that count things, or are 1 or 0. */
const WITHOUT_UNIT = /_(running|waiting|held|parked|up|writable|layer|queue|free|failed|max|connections)$/;

test("names say type and unit", () => {
  for (const [name, { type, buckets }] of families) {
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.match(name, /^(mooring|process|nodejs|http)_/, name);
    assert.equal(name.endsWith("_total"), type === "counter", `${name}: counters and only they end with _total`);
    assert.equal(buckets !== undefined, type === "histogram", `${name}: histograms and only they have buckets`);
    if (type === "histogram") assert.match(name, /_(seconds|bytes)$/);
    assert.ok(UNITS.test(name) || WITHOUT_UNIT.test(name), `${name} has no unit`);
    assert.doesNotMatch(name, /_(bucket|sum|count|milliseconds|ms|mib|percent)(_|$)/, name);
    assert.deepEqual(
      buckets,
      buckets?.toSorted((a, b) => a - b),
      name,
    );
  }
});

test("labels are bounded", () => {
  let most = 0;
  for (const [name, { labels = {}, buckets }] of families) {
    let series = buckets === undefined ? 1 : buckets.length + 3;
    for (const [label, values] of Object.entries(labels)) {
      assert.match(label, /^[a-z][a-z_]*$/, name);
      assert.ok(!["le", "instance", "job", "quantile"].includes(label), `${name}: Prometheus uses ${label}`);
      if (isListed(values)) assert.ok(new Set(values).size === values.length && values.length > 0, `${name} ${label}`);
      else assert.ok(values.bound !== "" && values.max > 0, `${name} ${label}`);
      series *= isListed(values) ? values.length : 1;
    }
    most = Math.max(most, series);
  }
  assert.ok(most < 2000, `${most} series of one family by its listed values`);
});

test("help is one sentence; each alert has its own name, names families of the table, and has a remedy", () => {
  const names = new Set<string>();
  for (const [family, { help, alerts = [] }] of families) {
    assert.match(help, /^[A-Z0-9].*[^.\n]$/, family);
    for (const { name, expression, for: duration, description, remedy } of alerts) {
      assert.match(name, /^Mooring[A-Z]\w+$/);
      assert.ok(!names.has(name), `${name} exists twice`);
      names.add(name);
      assert.match(duration, /^\d+[smh]$/, name);
      assert.ok(description.endsWith(".") && remedy.endsWith("."), name);
      const read = [...expression.matchAll(/\b(?:mooring|process|nodejs|http)_[a-z0-9_]+(?![a-z0-9_]*[=!~])/g)].map(
        ([match]) => match.replace(/_(bucket|sum|count)$/, ""),
      );
      for (const each of read) assert.ok(each in FAMILIES, `${name}: ${each} is not in the table`);
      assert.ok(read.includes(family) || expression.includes("up"), `${name} does not read ${family}, which has it`);
    }
  }
});
