import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import type { S3Error } from "../errors.ts";
import { fails } from "../testing/fails.ts";
import { newBucket, openS3Ground, type S3Ground } from "../testing/ground.ts";
import type { Bucket, S3Caller } from "../types/index.ts";

for (const { kind, skip } of DATABASES) {
  describe(`objects on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let caller: S3Caller;

    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-objects") });
      caller = await g.key();
    });
    after(() => g.close());

    const head = (bucket: Bucket, key: string, versionId?: string) => g.s3.objects.head(bucket, { key, versionId });
    const usage = async (bucket: Bucket): Promise<number[]> => {
      const rows = await g.ground.metadata.read
        .selectFrom("s3_usage")
        .selectAll()
        .where("bucket", "=", bucket.id)
        .execute();
      return [rows.reduce((sum, row) => sum + row.objects, 0), rows.reduce((sum, row) => sum + row.bytes, 0)];
    };
    /** Returns the number of references to blobs, to find lost and wrong ones. */
    const held = async (): Promise<number> => {
      const { rows } = await g.ground.metadata.read
        .selectFrom("blob")
        .select((eb) => eb.fn.sum<number>("refs").as("refs"))
        .execute()
        .then((rows) => ({ rows }));
      return Number(rows[0]?.refs ?? 0);
    };

    test("an object is read as it was put", async () => {
      const bucket = await newBucket(g, caller);
      const headers = { contentType: "text/plain", cacheControl: "no-cache" };
      const more = {
        headers,
        metadata: { a: "ä" },
        tags: { b: "c" },
        checksum: { algorithm: "CRC32", type: "FULL_OBJECT", value: "AAAAAA==" } as const,
      };
      const put = await g.put(caller, bucket, "ключ/𝄞 ", "hello", more);
      const found = await head(bucket, "ключ/𝄞 ");
      assert.deepEqual(found, put);
      assert.deepEqual(
        [found.size, found.etag, found.versionId, found.isLatest],
        [5, "5d41402abc4b2a76b9719d911017c592", "null", true],
      );
      assert.deepEqual(
        [found.headers, found.metadata, found.tags, found.checksum],
        [headers, more.metadata, more.tags, more.checksum],
      );
      assert.equal(await g.read(found), "hello");
      assert.deepEqual(await usage(bucket), [1, 5]);
    });

    test("a second put replaces the object, and deletes its content", async () => {
      const bucket = await newBucket(g, caller);
      const before = await held();
      await g.put(caller, bucket, "k", "one");
      await g.put(caller, bucket, "k", "three");
      assert.equal(await held(), before + 1);
      assert.equal(await g.read(await head(bucket, "k")), "three");
      assert.deepEqual(await usage(bucket), [1, 5]);
      const deleted = await g.s3.objects.delete(caller, bucket, { key: "k" });
      assert.deepEqual(deleted, { key: "k", versionId: null, deleteMarker: false, markerVersionId: null });
      await fails("NoSuchKey", head(bucket, "k"));
      assert.deepEqual([await held(), await usage(bucket)], [before, [0, 0]]);
      await g.s3.objects.delete(caller, bucket, { key: "k" }); // A second deletion succeeds.
    });

    test("a bucket with versioning keeps each version until it is deleted", async () => {
      const before = await held();
      const bucket = await g.s3.buckets.setVersioning(caller, await newBucket(g, caller), "enabled");
      const one = await g.put(caller, bucket, "k", "one");
      const two = await g.put(caller, bucket, "k", "two");
      assert.notEqual(one.versionId, two.versionId);
      const marker = await g.s3.objects.delete(caller, bucket, { key: "k" });
      assert.equal(marker.deleteMarker, true);
      await fails("NoSuchKey", head(bucket, "k"));
      await fails("MethodNotAllowed", head(bucket, "k", marker.markerVersionId ?? ""));
      assert.equal(await g.read(await head(bucket, "k", one.versionId)), "one");
      assert.equal((await head(bucket, "k", two.versionId)).isLatest, false);
      // Without the marker, the newest version is current again.
      const undone = await g.s3.objects.delete(caller, bucket, { key: "k", versionId: marker.markerVersionId ?? "" });
      assert.deepEqual([undone.deleteMarker, undone.markerVersionId], [true, marker.markerVersionId]);
      assert.equal((await head(bucket, "k")).versionId, two.versionId);
      await g.s3.objects.delete(caller, bucket, { key: "k", versionId: two.versionId });
      assert.equal((await head(bucket, "k")).versionId, one.versionId);
      await g.s3.objects.delete(caller, bucket, { key: "k", versionId: one.versionId });
      await fails("NoSuchKey", head(bucket, "k"));
      assert.deepEqual([await held(), await usage(bucket)], [before, [0, 0]]);
    });

    test("suspended versioning overwrites the null version and keeps the others", async () => {
      const before = await held();
      let bucket = await newBucket(g, caller);
      await g.put(caller, bucket, "k", "first"); // This is the null version.
      bucket = await g.s3.buckets.setVersioning(caller, bucket, "enabled");
      const versioned = await g.put(caller, bucket, "k", "second");
      assert.equal(await g.read(await head(bucket, "k", "null")), "first");
      bucket = await g.s3.buckets.setVersioning(caller, bucket, "suspended");
      await g.put(caller, bucket, "k", "third");
      await g.put(caller, bucket, "k", "fourth");
      assert.equal(await g.read(await head(bucket, "k", "null")), "fourth");
      assert.equal((await head(bucket, "k", versioned.versionId)).isLatest, false);
      assert.deepEqual(await usage(bucket), [2, 12]);
      const marker = await g.s3.objects.delete(caller, bucket, { key: "k" });
      assert.deepEqual([marker.deleteMarker, marker.markerVersionId], [true, "null"]);
      await g.s3.objects.delete(caller, bucket, { key: "k" });
      const { versions } = await g.s3.listings.versions(bucket, { prefix: "", delimiter: "", max: 10 });
      assert.deepEqual(
        versions.map((version) => [version.versionId, version.isDeleteMarker, version.isLatest]),
        [
          ["null", true, true],
          [versioned.versionId, false, false],
        ],
      );
      for (const { versionId } of versions) await g.s3.objects.delete(caller, bucket, { key: "k", versionId });
      assert.deepEqual([await held(), await usage(bucket)], [before, [0, 0]]);
    });

    test("a copy refers to the same content, and outlives its source", async () => {
      const bucket = await newBucket(g, caller);
      const source = await g.put(caller, bucket, "a", "x".repeat(100_000));
      const plain = { headers: {}, metadata: { m: "1" }, tags: {} };
      const copy = await g.s3.objects.copy(caller, bucket, { ...plain, key: "b", source });
      assert.deepEqual([copy.blobId, copy.etag], [source.blobId, source.etag]);
      await g.s3.objects.copy(caller, bucket, { ...plain, key: "a", source }); // Copies the object onto itself.
      await g.s3.objects.delete(caller, bucket, { key: "a" });
      assert.equal((await g.read(await head(bucket, "b"))).length, 100_000);
      assert.deepEqual(await usage(bucket), [1, 100_000]);
    });

    test("one of 64 writers with If-None-Match wins", { timeout: 120_000 }, async () => {
      const bucket = await newBucket(g, caller);
      for (let round = 0; round < 2; round++) {
        const key = `race-${round}`;
        const conditions = { ifNoneMatch: "*" } as const;
        const results = await Promise.allSettled(
          Array.from({ length: 64 }, (_, i) => g.put(caller, bucket, key, `writer ${i}`, { conditions })),
        );
        const winners = results.filter((result) => result.status === "fulfilled");
        assert.equal(winners.length, 1);
        for (const result of results)
          if (result.status === "rejected") assert.equal((result.reason as S3Error).code, "PreconditionFailed");
        const found = await head(bucket, key);
        assert.equal(found.etag, winners[0]?.value.etag);
      }
    });

    test("conditions are checked against the current object", async () => {
      const bucket = await newBucket(g, caller);
      await fails("NoSuchKey", g.put(caller, bucket, "k", "x", { conditions: { ifMatch: "*" } }));
      const { etag, modifiedAtMs } = await g.put(caller, bucket, "k", "x");
      await fails("PreconditionFailed", g.put(caller, bucket, "k", "y", { conditions: { ifMatch: ["other"] } }));
      await fails("PreconditionFailed", g.put(caller, bucket, "k", "y", { conditions: { ifNoneMatch: [etag] } }));
      await g.put(caller, bucket, "k", "x", { conditions: { ifMatch: ["other", etag] } });
      const remove = (conditions: object) => g.s3.objects.delete(caller, bucket, { key: "k", conditions });
      await fails("PreconditionFailed", remove({ ifSize: 2 }));
      await fails("PreconditionFailed", remove({ ifModifiedAtMs: modifiedAtMs + 1000 }));
      await fails("PreconditionFailed", remove({ ifMatch: ["other"] }));
      await remove({ ifMatch: [etag], ifSize: 1, ifModifiedAtMs: modifiedAtMs });
      await fails("NoSuchKey", head(bucket, "k"));
    });

    test("a locked version stays, and a lock can only be made stronger", async () => {
      const bucket = await newBucket(g, caller, { objectLock: true });
      const untilMs = g.ground.clock.nowMs() + 10_000;
      const locked = await g.put(caller, bucket, "k", "x", { retention: { mode: "GOVERNANCE", untilMs } });
      const name = { key: "k", versionId: locked.versionId };
      await fails("AccessDenied", g.s3.objects.delete(caller, bucket, name));
      await g.s3.objects.delete(caller, bucket, { key: "k" }); // A marker deletes no content.
      const change = (
        retention: { mode: "GOVERNANCE" | "COMPLIANCE"; untilMs: number } | null,
        bypassGovernance = false,
      ) => g.s3.objects.setRetention(caller, bucket, name, { retention, bypassGovernance });
      await fails("AccessDenied", change({ mode: "GOVERNANCE", untilMs: untilMs - 1 }));
      await change({ mode: "GOVERNANCE", untilMs: untilMs - 1 }, true);
      await fails("AccessDenied", change({ mode: "COMPLIANCE", untilMs }));
      await change({ mode: "COMPLIANCE", untilMs }, true);
      await fails("AccessDenied", change(null, true));
      await fails("AccessDenied", g.s3.objects.delete(caller, bucket, { ...name, bypassGovernance: true }));
      await g.s3.objects.setLegalHold(caller, bucket, name, true);
      g.ground.clock.advance(20_000);
      await fails("AccessDenied", g.s3.objects.delete(caller, bucket, name));
      await g.s3.objects.setLegalHold(caller, bucket, name, false);
      await g.s3.objects.delete(caller, bucket, name);
      await fails("NoSuchVersion", head(bucket, "k", locked.versionId));
    });

    test("a deletion of many objects decides each one separately", async () => {
      const bucket = await newBucket(g, caller, { objectLock: true });
      const untilMs = g.ground.clock.nowMs() + 10_000;
      const locked = await g.put(caller, bucket, "b", "x", { retention: { mode: "GOVERNANCE", untilMs } });
      const a = await g.put(caller, bucket, "a");
      const results = await g.s3.objects.deleteMany(caller, bucket, [
        { key: "b", versionId: locked.versionId },
        { key: "a", versionId: a.versionId },
        { key: "none" },
      ]);
      assert.deepEqual(
        results.map((result) => ("error" in result ? (result.error as S3Error).code : result.key)),
        ["AccessDenied", "a", "none"],
      );
    });

    test("a bucket with objects or markers can't be deleted; a bucket with only open uploads can", async () => {
      const bucket = await g.s3.buckets.setVersioning(caller, await newBucket(g, caller), "enabled");
      const { markerVersionId } = await g.s3.objects.delete(caller, bucket, { key: "k" });
      await fails("BucketNotEmpty", g.s3.buckets.delete(caller, bucket));
      await g.s3.objects.delete(caller, bucket, { key: "k", versionId: markerVersionId ?? "" });
      await g.s3.uploads.create(caller, bucket, { key: "u", headers: {}, metadata: {}, tags: {} });
      await g.s3.buckets.delete(caller, bucket);
      await fails("NoSuchBucket", g.s3.buckets.find(caller.principal, bucket.name));
      await fails("NoSuchBucket", g.put(caller, bucket, "late"));
    });
  });
}
