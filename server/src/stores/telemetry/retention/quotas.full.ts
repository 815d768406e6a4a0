import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { rowsOf, setPolicy } from "../testing/retention.ts";
import { openTestStore, temporaryDirectory, type OpenStore } from "../testing/store.ts";

const ORG = "org_a";

function refusal(store: OpenStore, orgId = ORG): Problem | undefined {
  try {
    store.rows.lifecycle.quotas.admit(orgId);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error;
  }
}

/** Returns rows of exactly `bytes` bytes in the log. */
function bytesOfRows(bytes: number): ReturnType<typeof rowsOf> {
  const frame = rowsOf(ORG, "logs", [{ message: "" }]).rows.length;
  return rowsOf(ORG, "logs", [{ message: "m".repeat(bytes - frame) }]);
}

test("stored bytes count rows in Parquet and others; a free quota allows the next request", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  await setPolicy(store.metadata, ORG, { stored_bytes_max: 5000 });
  await store.rows.lifecycle.refresh();
  await store.rows.append(bytesOfRows(4999));
  assert.equal(refusal(store), undefined, "below the limit every request is allowed");
  await store.rows.append(bytesOfRows(200));
  const refused = refusal(store);
  assert.equal(refused?.code, "quota_exceeded");
  assert.equal(refused.options.retryAfterS, 300);
  assert.match(refused.message, /takes 5199 bytes, and its quota is 5000 bytes.*PATCH \/v1\/telemetry\/settings/);
  assert.equal(refusal(store, "org_b"), undefined);
  await store.rows.compact();
  const { parquetBytes, hotBytes } = store.rows.lifecycle.usage(ORG).logs;
  assert.ok(parquetBytes > 0 && parquetBytes < 5000);
  assert.equal(hotBytes, 0);
  assert.equal(refusal(store), undefined, "Parquet needs less than the text");
  await setPolicy(store.metadata, ORG, { stored_bytes_max: parquetBytes });
  await store.rows.lifecycle.refresh();
  assert.equal(refusal(store)?.code, "quota_exceeded", "at the limit");
  await setPolicy(store.metadata, ORG, { stored_bytes_max: parquetBytes + 1 });
  await store.rows.lifecycle.refresh();
  assert.equal(refusal(store), undefined, "one below");
  await store.close();
});

test("a rate is an average: bytes over the limit delay the next request, and the burst refills with time", async () => {
  await using dir = await temporaryDirectory();
  const clock = { now: 1_000_000, nowMs: () => clock.now };
  const store = await openTestStore(dir.path, { clock });
  await setPolicy(store.metadata, ORG, { ingest_bytes_per_second: 1000, ingest_bytes_burst: 3000 });
  await store.rows.lifecycle.refresh();
  await store.rows.append(bytesOfRows(2999));
  assert.equal(refusal(store), undefined, "one byte is left");
  await store.rows.append(bytesOfRows(2001));
  const refused = refusal(store);
  assert.equal(refused?.code, "quota_exceeded");
  assert.deepEqual(refused.options, {
    retryAfterS: 3,
    allowance: { name: "ingest-bytes", most: 3000, windowS: 3 },
  });
  clock.now += 2000;
  assert.equal(refusal(store)?.options.retryAfterS, 1);
  clock.now += 1000;
  assert.equal(refusal(store), undefined);
  clock.now += 60_000;
  await store.rows.append(bytesOfRows(3000));
  assert.equal(refusal(store)?.code, "quota_exceeded", "the refill ends at the burst");
  await store.close();
});

test("the operator's limit for one organization overrides the default, also if it means no limit", async () => {
  await using dir = await temporaryDirectory();
  const { testSettings } = await import("../testing/store.ts");
  const base = testSettings();
  const defaults = { storedBytesMax: 1000, ingestBytesPerSecond: 10 };
  const store = await openTestStore(dir.path, {
    settings: { ...base, retention: { ...base.retention, ...defaults } },
  });
  const policy = () => store.rows.lifecycle.policy(ORG);
  assert.deepEqual([policy().storedBytesMax, policy().ingest], [1000, { bytesPerSecond: 10, burstBytes: 100 }]);
  await setPolicy(store.metadata, ORG, {
    stored_bytes_max: Number.MAX_SAFE_INTEGER,
    ingest_bytes_per_second: Number.MAX_SAFE_INTEGER,
  });
  await store.rows.lifecycle.refresh();
  assert.deepEqual([policy().storedBytesMax, policy().ingest], [null, null]);
  await setPolicy(store.metadata, ORG, { stored_bytes_max: null, ingest_bytes_burst: 7 });
  await store.rows.lifecycle.refresh();
  assert.deepEqual([policy().storedBytesMax, policy().ingest], [1000, { bytesPerSecond: 10, burstBytes: 7 }]);
  await store.close();
});
