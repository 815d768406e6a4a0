import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../../../tests/fixtures/databases.ts";
import { SYSTEM } from "#domain/organizations/index.ts";
import { createDestination } from "../../index.ts";
import { newBucket, openS3Ground, ORG_ID, type S3Ground } from "../../testing/ground.ts";
import type { S3Error } from "../../errors.ts";
import type { Bucket, Deleted, DeleteObject, S3Caller, VersioningState } from "../../types/index.ts";

/** Bytes that careless JSON, SQL or hexadecimal handling would change. */
const KEYS = ["a", "ä/b", "q'\"\\", "nul\0nul", "\u{1f600}", " ", "%2e", "x61", "t61", "k".repeat(1024)];
const MANY = 450;

for (const { kind, skip } of DATABASES) {
  describe(`deletions of many keys equal single deletions on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let caller: S3Caller;
    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-deletions") });
      caller = await g.key();
      await createDestination(g.deps, SYSTEM, ORG_ID, { name: "receiver", url: "http://127.0.0.1:9/events" });
    });
    after(() => g.close());

    const { keys, of } = { keys: kind === "postgres" ? KEYS.filter((key) => !key.includes("\0")) : KEYS, of: rowsOf };

    /** Creates objects, older versions, markers, and null versions from before the bucket had versions. */
    async function filled(
      state: VersioningState,
    ): Promise<{ bucket: Bucket; versions: (readonly [string, string])[] }> {
      let bucket = await notifying(g, caller, await newBucket(g, caller));
      const versions: (readonly [string, string])[] = [];
      const put = async (key: string): Promise<void> =>
        void versions.push([key, (await g.put(caller, bucket, key, `${key} in ${versions.length}`)).versionId]);
      for (const key of keys.slice(0, -2)) await put(key);
      if (state === "unversioned") return { bucket, versions };
      bucket = await g.s3.buckets.setVersioning(caller, bucket, "enabled");
      for (const key of keys.slice(2)) await put(key);
      for (const key of keys.slice(2, 5)) await put(key);
      await g.s3.objects.delete(caller, bucket, { key: keys[3] ?? "" });
      if (state === "suspended") {
        bucket = await g.s3.buckets.setVersioning(caller, bucket, "suspended");
        await g.s3.objects.delete(caller, bucket, { key: keys[4] ?? "" });
      }
      return { bucket, versions };
    }

    type Deletes = (bucket: Bucket, objects: readonly DeleteObject[]) => Promise<readonly unknown[]>;
    const atOnce: Deletes = (bucket, objects) => g.s3.objects.deleteMany(caller, bucket, objects);
    const oneByOne: Deletes = async (bucket, objects) => {
      const results = [];
      for (const object of objects)
        results.push(await g.s3.objects.delete(caller, bucket, object).catch((error: unknown) => ({ error })));
      return results;
    };

    for (const state of ["unversioned", "enabled", "suspended"] as const) {
      const compare = async (name: string, objectsOf: (versions: (readonly [string, string])[]) => DeleteObject[]) => {
        const seen = [];
        for (const deletes of [oneByOne, atOnce]) {
          const { bucket, versions } = await filled(state);
          const before = await of(g, bucket, versions);
          const results = await deletes(bucket, objectsOf(versions));
          seen.push({ results: results.map((result) => plain(result, versions)), ...(await of(g, bucket, versions)) });
          assert.notDeepEqual(seen.at(-1), before);
        }
        assert.deepEqual(seen[1], seen[0], name);
      };

      test(`${state}: existing versions, missing ones, and one key twice`, () =>
        compare("by key", () => [...keys, "absent", keys[0] ?? "", "absent", keys[3] ?? ""].map((key) => ({ key }))));

      test(`${state}: conditions that are true and false`, () =>
        compare("conditions", () =>
          [...keys, "absent"].map((key, i) => ({ key, conditions: i % 2 === 0 ? { ifSize: 1 } : { ifMatch: "*" } })),
        ));

      test(`${state}: versions, unknown ones, and one version twice`, () =>
        compare("by version", (versions) => {
          const named = versions.filter((_, i) => i % 3 !== 1).map(([key, versionId]) => ({ key, versionId }));
          return [...named, ...named.slice(0, 2), { key: keys[0] ?? "", versionId: "unknown" }];
        }));

      test(`${state}: one key without and with its version`, () =>
        compare("mixed", (versions) => [
          ...versions.slice(0, 4).map(([key, versionId]) => ({ key, versionId })),
          ...keys.slice(0, 3).map((key) => ({ key })),
        ]));
    }

    test("a deletion of many objects deletes each, sends its event and adds it to the audit log", async () => {
      const bucket = await notifying(g, caller, await newBucket(g, caller));
      const many = Array.from({ length: MANY }, (_, i) => `many/${i}`);
      for (const key of many) await g.put(caller, bucket, key, "x");
      const results = await atOnce(bucket, [...many.map((key) => ({ key })), { key: "k".repeat(1025) }]);
      assert.deepEqual(
        results.map((result) => ("key" in (result as Deleted) ? (result as Deleted).key : codeOf(result))),
        [...many, "KeyTooLongError"],
      );
      const { events, current, usage } = await of(g, bucket, []);
      assert.deepEqual([events.length, current, usage], [MANY, [], { objects: 0, bytes: 0 }]);
      const audited = await g.ground.metadata.read
        .selectFrom("audit")
        .select("detail")
        .where("action", "=", "object.delete")
        .where("target_id", "=", bucket.id)
        .execute();
      const named = audited.flatMap(({ detail }) => (JSON.parse(detail) as { objects: { key: string }[] }).objects);
      assert.deepEqual(named.map(({ key }) => key).toSorted(), many.toSorted());
    });
  });
}

function codeOf(result: unknown): string {
  return (result as { error: S3Error }).error.code;
}

async function notifying(g: S3Ground, caller: S3Caller, bucket: Bucket): Promise<Bucket> {
  const rule = { id: "all", kind: "queue", destinationArn: "arn:mooring:webhook:::receiver" } as const;
  const value = [{ ...rule, events: ["s3:ObjectRemoved:*"] }];
  return g.s3.buckets.configure(caller, bucket, { kind: "notification", value });
}

type Versions = readonly (readonly [string, string])[];

/** Replaces a random version ID by the position of its creation. */
function nameOf(id: unknown, versions: Versions): unknown {
  if (typeof id !== "string" || id === "null" || id === "unknown") return id;
  const at = versions.findIndex(([, versionId]) => versionId === id);
  return at === -1 ? "new" : at;
}

function plain(result: unknown, versions: Versions): unknown {
  if ("error" in (result as object)) return codeOf(result);
  const { versionId, markerVersionId, ...rest } = result as Deleted;
  return { ...rest, version: nameOf(versionId, versions), marker: nameOf(markerVersionId, versions) };
}

/** Returns the rows of a bucket, in the order of keys and of age. */
async function rowsOf(g: S3Ground, bucket: Bucket, versions: Versions) {
  const { read } = g.ground.metadata;
  const rows = async (table: "s3_object" | "s3_history"): Promise<unknown[]> =>
    (
      await read.selectFrom(table).selectAll().where("bucket", "=", bucket.id).orderBy("key").orderBy("seq").execute()
    ).map(({ key, version_id, blob_id, size, etag, owner, tags, detail, parts }) => {
      const version = nameOf(version_id, versions);
      return {
        key: Buffer.from(key).toString("hex"),
        version,
        isMarker: blob_id === null,
        size,
        etag,
        owner,
        tags,
        detail,
        parts,
      };
    });
  const usages = await read.selectFrom("s3_usage").selectAll().where("bucket", "=", bucket.id).execute();
  const sum = (of: (row: (typeof usages)[number]) => number): number => usages.reduce((all, row) => all + of(row), 0);
  const bodies = await read.selectFrom("s3_delivery").select("body").orderBy("id").execute();
  const events = bodies.flatMap(({ body }) => (JSON.parse(body) as { Records: EventRecord[] }).Records);
  const told = events
    .filter(({ s3 }) => s3.bucket.name === bucket.name)
    .map(({ eventName, s3 }) => [s3.object.key, eventName, nameOf(s3.object.versionId, versions)])
    .map((event) => JSON.stringify(event))
    .toSorted();
  const blobs = await read.selectFrom("blob").select("refs").where("refs", "<", 0).execute();
  const usage = { objects: sum((row) => row.objects), bytes: sum((row) => row.bytes) };
  return { current: await rows("s3_object"), past: await rows("s3_history"), usage, events: told, blobs };
}

interface EventRecord {
  readonly eventName: string;
  readonly s3: {
    readonly bucket: { readonly name: string };
    readonly object: { readonly key: string; readonly versionId?: string };
  };
}
