import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { objectRecords } from "./records.ts";
import { newBucket, openS3Ground, ORG_ID, OTHER_ORG_ID, type S3Ground } from "./testing/ground.ts";
import type { Bucket, S3Caller } from "./types/index.ts";

interface ObjectRecord {
  readonly key: string;
  readonly bucket: string;
  readonly size_bytes: number;
  readonly version_id: string;
  readonly is_latest: boolean;
  readonly is_delete_marker: boolean;
}

for (const { kind, skip } of DATABASES) {
  describe(`records of objects on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let caller: S3Caller;

    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-records") });
      caller = await g.key();
    });
    after(() => g.close());

    const source = () => objectRecords(g.ground);
    const writes = async (bucket: Bucket) =>
      Number((await source().parts?.(ORG_ID))?.get(bucket.id)?.toString().split(" ").at(-1) ?? 0);
    const recordsOf = async (bucket: Bucket, orgId = ORG_ID, mark = 0): Promise<ObjectRecord[]> => {
      const rows: ObjectRecord[] = [];
      for await (const { row } of source().rowsAfter(orgId, mark, bucket.id))
        rows.push(row() as unknown as ObjectRecord);
      return rows;
    };

    test("every version is a row, in the order of keys, over pages", async () => {
      const bucket = await newBucket(g, caller);
      await g.s3.buckets.setVersioning(caller, bucket, "enabled");
      const versioned = await g.s3.buckets.find(caller.principal, bucket.name);
      for (let i = 0; i < 502; i++) await g.put(caller, versioned, `k${String(i).padStart(4, "0")}`, "one");
      for (let i = 0; i < 3; i++) await g.put(caller, versioned, "k0499", "x".repeat(i));
      await g.s3.objects.delete(caller, versioned, { key: "k0500" });
      const rows = await recordsOf(bucket);
      assert.equal(rows.length, 506);
      assert.equal(rows.filter(({ is_latest }) => is_latest).length, 502);
      assert.equal(new Set(rows.map(({ version_id }) => version_id)).size, 506);
      const sizes = rows.filter(({ key }) => key === "k0499").map((row) => [row.size_bytes, row.is_latest]);
      assert.deepEqual(sizes, [
        [2, true],
        [1, false],
        [0, false],
        [3, false],
      ]);
      const gone = rows.filter(({ key }) => key === "k0500");
      assert.deepEqual(
        gone.map((row) => [row.is_delete_marker, row.is_latest, row.size_bytes]),
        [
          [true, true, 0],
          [false, false, 3],
        ],
      );
      assert.deepEqual(await recordsOf(bucket, ORG_ID, 490), rows.slice(490), "the rows after a cursor");
    });

    test("many versions of one key span pages", async () => {
      const bucket = await newBucket(g, caller);
      await g.s3.buckets.setVersioning(caller, bucket, "enabled");
      const versioned = await g.s3.buckets.find(caller.principal, bucket.name);
      for (let i = 0; i < 502; i++) await g.put(caller, versioned, "a", "");
      await g.put(caller, versioned, "b", "");
      const rows = await recordsOf(bucket);
      assert.deepEqual([rows.length, rows.filter(({ is_latest }) => is_latest).length], [503, 2]);
    });

    test("a change of a shown column increases the number of writes of its bucket only", async () => {
      const [bucket, other] = [await newBucket(g, caller), await newBucket(g, caller)];
      await g.s3.buckets.setVersioning(caller, bucket, "enabled");
      const versioned = await g.s3.buckets.find(caller.principal, bucket.name);
      let last = await writes(bucket);
      const raises = async (act: () => Promise<unknown>): Promise<void> => {
        await act();
        const now = await writes(bucket);
        assert.ok(now > last, act.toString());
        last = now;
      };
      await raises(() => g.put(caller, versioned, "a", "one"));
      await raises(() => g.put(caller, versioned, "a", "two"));
      await raises(() => g.s3.objects.delete(caller, versioned, { key: "a" }));
      const marker = (await recordsOf(bucket)).find((row) => row.is_delete_marker);
      await raises(() => g.s3.objects.delete(caller, versioned, { key: "a", versionId: marker?.version_id }));
      assert.deepEqual(
        (await recordsOf(bucket)).map((row) => row.is_delete_marker),
        [false, false],
      );
      await g.put(caller, other, "a", "one");
      const before = await writes(other);
      await g.put(caller, other, "a", "two");
      assert.ok((await writes(other)) > before, "another content of the same size");
      assert.equal(await writes(bucket), last);
    });

    test("a bucket belongs to its organization", async () => {
      const bucket = await newBucket(g, caller);
      await g.put(caller, bucket, "a");
      assert.deepEqual(await recordsOf(bucket, OTHER_ORG_ID), []);
      assert.equal((await source().parts?.(OTHER_ORG_ID))?.has(bucket.id), false);
    });
  });
}
