import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { ConfigCache } from "../buckets/view.ts";
import { fails } from "../testing/fails.ts";
import { newBucket, openS3Ground, type S3Ground } from "../testing/ground.ts";
import type { Bucket, LifecycleRule, S3Caller } from "../types/index.ts";
import { dueAfter, expirationOf } from "./rules.ts";
import { runLifecycle } from "./run.ts";

const DAY_MS = 86_400_000;
const RULE = { id: "r", enabled: true, filter: {} } as const;

test("days count from the write to the next midnight", () => {
  const written = Date.UTC(2026, 0, 1, 10, 30);
  assert.equal(dueAfter(written, 1, DAY_MS), Date.UTC(2026, 0, 3));
  assert.equal(dueAfter(Date.UTC(2026, 0, 1), 1, DAY_MS), Date.UTC(2026, 0, 3));
});

test("the answer names the rule that expires the object first", () => {
  const rules: LifecycleRule[] = [
    { ...RULE, id: "late", expiration: { days: 30 } },
    { ...RULE, id: "off", enabled: false, expiration: { days: 1 } },
    { ...RULE, id: "tagged", filter: { tags: { a: "b" } }, expiration: { days: 2 } },
    { ...RULE, id: "small", filter: { sizeBelow: 10, prefix: "x/" }, expiration: { days: 3 } },
  ];
  const of = (key: string, size: number, tags: Record<string, string> = {}) =>
    expirationOf(rules, { key, size, tags, modifiedAtMs: 0 });
  assert.deepEqual(of("k", 1), { ruleId: "late", atMs: 31 * DAY_MS });
  assert.deepEqual(of("x/k", 9), { ruleId: "small", atMs: 4 * DAY_MS });
  assert.deepEqual(of("x/k", 10, { a: "b" }), { ruleId: "tagged", atMs: 3 * DAY_MS });
  assert.equal(expirationOf(undefined, { key: "k", size: 1, tags: {}, modifiedAtMs: 0 }), null);
});

for (const { kind, skip } of DATABASES) {
  describe(`lifecycle rules on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let caller: S3Caller;

    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-lifecycle") });
      caller = await g.key();
    });
    after(() => g.close());

    const withRules = (bucket: Bucket, ...value: LifecycleRule[]): Promise<Bucket> =>
      g.s3.buckets.configure(caller, bucket, { kind: "lifecycle", value });
    const applyRules = (bucket: Bucket) =>
      runLifecycle({ ...g.deps, configs: new ConfigCache() }, bucket.id, new AbortController().signal);
    const keys = async (bucket: Bucket): Promise<string[]> =>
      (await g.s3.listings.objects(bucket, { prefix: "", delimiter: "", max: 1000 })).objects.map(({ key }) => key);
    const versions = async (bucket: Bucket): Promise<string[]> =>
      (await g.s3.listings.versions(bucket, { prefix: "", delimiter: "", max: 1000 })).versions.map(
        ({ key, isDeleteMarker, isLatest }) =>
          [key, isDeleteMarker ? "marker" : "object", isLatest ? "latest" : "old"].join(" "),
      );

    test("objects expire by age, prefix, tags and size, and not a moment before", async () => {
      const bucket = await newBucket(g, caller);
      for (const key of ["a/1", "a/2", "b/1"]) await g.put(caller, bucket, key);
      await g.put(caller, bucket, "c/tagged", "x", { tags: { keep: "no" } });
      await g.put(caller, bucket, "c/other", "x", { tags: { keep: "yes" } });
      await g.put(caller, bucket, "d/large", "x".repeat(100));
      await g.put(caller, bucket, "d/small", "x");
      await withRules(
        bucket,
        { ...RULE, id: "1", filter: { prefix: "a/" }, expiration: { days: 1 } },
        { ...RULE, id: "2", filter: { tags: { keep: "no" } }, expiration: { days: 2 } },
        { ...RULE, id: "3", filter: { prefix: "d/", sizeAbove: 10 }, expiration: { days: 1 } },
        { ...RULE, id: "4", enabled: false, expiration: { days: 1 } },
      );
      const startMs = g.ground.clock.nowMs();
      g.ground.clock.advance(dueAfter(startMs, 1, DAY_MS) - startMs - 1);
      await applyRules(bucket);
      assert.equal((await keys(bucket)).length, 7);
      await g.put(caller, bucket, "a/2", "written again");
      g.ground.clock.advance(1);
      await applyRules(bucket);
      assert.deepEqual(await keys(bucket), ["a/2", "b/1", "c/other", "c/tagged", "d/small"]);
      g.ground.clock.advance(DAY_MS);
      await applyRules(bucket);
      assert.deepEqual(await keys(bucket), ["b/1", "c/other", "d/small"]);
    });

    test("objects expire at a date, though they fill more than one page and one batch", async () => {
      const bucket = await newBucket(g, caller);
      const nowMs = g.ground.clock.nowMs();
      const dateMs = (Math.floor(nowMs / DAY_MS) + 2) * DAY_MS;
      await g.put(caller, bucket, "kept");
      for (let i = 0; i < 130; i++) await g.put(caller, bucket, `gone/${i}`, "x");
      await withRules(bucket, { ...RULE, filter: { prefix: "gone/" }, expiration: { dateMs } });
      await applyRules(bucket);
      assert.equal((await keys(bucket)).length, 131);
      g.ground.clock.advance(dateMs - nowMs);
      await applyRules(bucket);
      assert.deepEqual(await keys(bucket), ["kept"]);
    });

    test("in a bucket with versions, expired objects get markers, old versions and lone markers are deleted, and locked versions stay", async () => {
      const bucket = await newBucket(g, caller, { objectLock: true });
      for (let i = 0; i < 4; i++) await g.put(caller, bucket, "k", `version ${i}`);
      const untilMs = g.ground.clock.nowMs() + 100 * DAY_MS;
      await g.put(caller, bucket, "locked", "1", { retention: { mode: "GOVERNANCE", untilMs } });
      await g.put(caller, bucket, "locked", "2");
      const noncurrent = { ...RULE, id: "old", noncurrentExpiration: { days: 1, newerVersions: 1 } };
      await withRules(bucket, noncurrent, { ...RULE, id: "new", filter: { prefix: "k" }, expiration: { days: 5 } });
      g.ground.clock.advance(3 * DAY_MS);
      await applyRules(bucket);
      assert.deepEqual(await versions(bucket), [
        "k object latest",
        "k object old",
        "locked object latest",
        "locked object old",
      ]);
      g.ground.clock.advance(4 * DAY_MS);
      await applyRules(bucket);
      assert.equal((await versions(bucket))[0], "k marker latest");
      await withRules(
        bucket,
        { ...RULE, id: "old", noncurrentExpiration: { days: 1 } },
        { ...RULE, id: "lone", expiration: { expiredObjectDeleteMarker: true } },
      );
      g.ground.clock.advance(3 * DAY_MS);
      await applyRules(bucket);
      assert.deepEqual(await versions(bucket), ["locked object latest", "locked object old"]);
    });

    test("abandoned uploads are aborted", async () => {
      const bucket = await newBucket(g, caller);
      const plain = { headers: {}, metadata: {}, tags: {} };
      const old = await g.s3.uploads.create(caller, bucket, { ...plain, key: "tmp/a" });
      const other = await g.s3.uploads.create(caller, bucket, { ...plain, key: "b" });
      await withRules(bucket, { ...RULE, filter: { prefix: "tmp/" }, abortUploadsAfterDays: 1 });
      await applyRules(bucket);
      assert.equal((await g.s3.uploads.find(bucket, "tmp/a", old.id)).id, old.id);
      g.ground.clock.advance(3 * DAY_MS);
      await applyRules(bucket);
      await fails("NoSuchUpload", g.s3.uploads.find(bucket, "tmp/a", old.id));
      await g.s3.uploads.find(bucket, "b", other.id);
    });

    test("a bucket has a job while it has rules", async () => {
      const bucket = await newBucket(g, caller);
      const jobs = () =>
        g.ground.metadata.read.selectFrom("job").select("due_at").where("key", "=", bucket.id).execute();
      await withRules(bucket, { ...RULE, expiration: { days: 1 } });
      const [job, ...others] = await jobs();
      assert.equal(others.length, 0);
      assert.equal(job?.due_at, g.ground.clock.nowMs() + 60_000, "the rules can be deleted again within a minute");
      await g.s3.buckets.configure(caller, bucket, { kind: "lifecycle", value: null });
      assert.equal((await jobs()).length, 0);
      assert.equal(await applyRules(bucket), false);
      await fails("InvalidArgument", withRules(bucket, { ...RULE, expiration: { days: 0 } }));
      await fails("InvalidArgument", withRules(bucket, { ...RULE, expiration: { dateMs: 1 } }));
      await fails("InvalidRequest", withRules(bucket, RULE));
      await fails(
        "InvalidArgument",
        withRules(bucket, { ...RULE, expiration: { days: 1 } }, { ...RULE, expiration: { days: 1 } }),
      );
    });
  });
}
