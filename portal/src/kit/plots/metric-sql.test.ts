import assert from "node:assert/strict";
import { test } from "node:test";
import { quantileOf, statementOf } from "./metric-sql.ts";
import { AGGREGATIONS, type Plot } from "./plots.ts";

const plot: Plot = { name: "it's", aggregation: "avg", by: "a']" };

test("names and tags are parameters, never part of the statement", () => {
  for (const aggregation of AGGREGATIONS)
    for (const name of ["it's", "it's_bucket"]) {
      const { sql, parameters } = statementOf({ plot: { ...plot, name, aggregation }, stepS: 60, projectId: "p'" });
      assert.doesNotMatch(sql, /it's|a'\]|p'/);
      assert.deepEqual(parameters, { name, tag: "a']", step: 60, project: "p'" });
    }
});

test("differences begin before the range, values at its start", () => {
  const earlierS = (aggregation: Plot["aggregation"], stepS: number): number =>
    statementOf({ plot: { ...plot, aggregation }, stepS, projectId: null }).earlierS;
  assert.equal(earlierS("avg", 60), 0);
  assert.equal(earlierS("rate", 60), 300);
  assert.equal(earlierS("rate", 3600), 7200);
});

test("quantiles of buckets are estimated, those of other metrics are queried", () => {
  assert.equal(quantileOf({ name: "d_bucket", aggregation: "p95", by: null }), 0.95);
  assert.equal(quantileOf({ name: "d_bucket", aggregation: "rate", by: null }), null);
  assert.equal(quantileOf({ name: "d", aggregation: "p95", by: null }), null);
  assert.match(
    statementOf({ plot: { ...plot, aggregation: "p99" }, stepS: 1, projectId: null }).sql,
    /quantile_cont\(value, 0\.99\)/,
  );
});
