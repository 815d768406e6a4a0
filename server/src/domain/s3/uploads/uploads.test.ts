import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Digester } from "#stores/objects/index.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { fails } from "../testing/fails.ts";
import { newBucket, openS3Ground, type S3Ground } from "../testing/ground.ts";
import type { Bucket, ChecksumAlgorithm, NewUpload, S3Caller, UploadedPart } from "../types/index.ts";
import { combineChecksums } from "./crc-combine.ts";
import { digestName, digestOfBytes } from "./digest.ts";
import { partList } from "../part-list/index.ts";

const MIB5 = 5 * 1024 * 1024;
const PLAIN = { headers: { contentType: "text/plain" }, metadata: { a: "b" }, tags: { c: "d" } };

test("the checksum of an object is computed from the checksums of its parts", () => {
  const whole = Buffer.from(Array.from({ length: 100_003 }, (_, i) => (i * 7919) >> 3));
  for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME"] as const) {
    const sizes = [1, 50_000, 50_000, 0, 2];
    let at = 0;
    const parts = sizes.map((size) => {
      const digest = digestOfBytes(digestName(algorithm), whole.subarray(at, (at += size)));
      return { size, checksum: base64(digest) };
    });
    assert.equal(combineChecksums(algorithm, parts), base64(digestOfBytes(digestName(algorithm), whole)), algorithm);
  }
  assert.equal(combineChecksums("SHA256", []), undefined);
});

for (const { kind, skip } of DATABASES) {
  describe(`uploads on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let caller: S3Caller;
    let bucket: Bucket;

    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-uploads") });
      caller = await g.key();
      bucket = await newBucket(g, caller);
    });
    after(() => g.close());

    const begin = async (key: string, more: Partial<NewUpload> = {}) =>
      g.s3.uploads.create(caller, bucket, { ...PLAIN, key, ...more });
    const part = async (
      key: string,
      uploadId: string,
      number: number,
      content: string,
      algorithm?: ChecksumAlgorithm,
    ): Promise<UploadedPart> => {
      const digests = algorithm === undefined ? [] : [digestName(algorithm)];
      const staged = await g.stage(content, ["md5", ...digests]);
      const found = { ...staged.digests, sha256: staged.sha256 };
      const digest = algorithm === undefined ? undefined : found[digestName(algorithm)];
      const checksum = digest === undefined ? null : base64(digest);
      return g.s3.uploads.putPart(caller, bucket, { key, uploadId, number, content: staged, checksum });
    };
    const complete = (key: string, uploadId: string, parts: readonly UploadedPart[], more: object = {}) =>
      g.s3.uploads.complete(caller, bucket, {
        key,
        uploadId,
        parts: partList(parts.map(({ number, etag }) => ({ number, etag }))),
        ...more,
      });
    const bytes = async (): Promise<number> => {
      const rows = await g.ground.metadata.read
        .selectFrom("s3_usage")
        .select("bytes")
        .where("bucket", "=", bucket.id)
        .execute();
      return rows.reduce((sum, row) => sum + row.bytes, 0);
    };

    test("parts become one object in the order of their numbers, without omitted parts", async () => {
      const { id } = await begin("whole");
      const big = "x".repeat(MIB5);
      const last = await part("whole", id, 7, "end");
      await part("whole", id, 3, "left out");
      await part("whole", id, 2, "replaced");
      const first = await part("whole", id, 2, big);
      assert.deepEqual(
        (await g.s3.uploads.parts(bucket, await g.s3.uploads.find(bucket, "whole", id), { after: 2, max: 1 })).next,
        3,
      );
      assert.equal(await bytes(), MIB5 + 3 + 8);
      const made = await complete("whole", id, [first, last]);
      const digests = Buffer.concat([first, last].map(({ etag }) => Buffer.from(etag, "hex")));
      assert.equal(made.etag, `${createHash("md5").update(digests).digest("hex")}-2`);
      assert.deepEqual([made.metadata, made.tags, made.headers], [PLAIN.metadata, PLAIN.tags, PLAIN.headers]);
      assert.deepEqual((await g.s3.objects.head(bucket, { key: "whole" })).parts, [
        { number: 2, size: MIB5 },
        { number: 7, size: 3 },
      ]);
      assert.equal(await g.read(await g.s3.objects.head(bucket, { key: "whole" })), `${big}end`);
      assert.equal(await bytes(), MIB5 + 3);
      // A client without an answer retries, and gets the same answer.
      const again = await complete("whole", id, [first, last]);
      assert.deepEqual([again.etag, again.versionId], [made.etag, made.versionId]);
      await fails("NoSuchUpload", complete("whole", id, [first]));
      await fails("NoSuchUpload", part("whole", id, 1, "late"));
      await fails("NoSuchUpload", g.s3.uploads.abort(caller, bucket, "whole", id));
      await g.s3.objects.delete(caller, bucket, { key: "whole" });
      assert.equal(await bytes(), 0);
    });

    test("invalid combinations of parts are refused, and the upload continues", async () => {
      const { id } = await begin("odd");
      const [one, two] = [await part("odd", id, 1, "one"), await part("odd", id, 2, "two")];
      await fails("InvalidPartOrder", complete("odd", id, [two, one]));
      await fails("InvalidPart", complete("odd", id, [one, { ...one, etag: two.etag }])); // If a part is named twice, the last one counts.
      await fails("EntityTooSmall", complete("odd", id, [one, two]));
      await fails("InvalidPart", complete("odd", id, [{ ...one, etag: two.etag }]));
      await fails("InvalidPart", complete("odd", id, [{ ...one, number: 9 }]));
      await fails("MalformedXML", complete("odd", id, []));
      await fails("InvalidRequest", complete("odd", id, [one], { size: 4 }));
      await fails("NoSuchUpload", complete("other", id, [one]));
      await fails("InvalidArgument", part("odd", id, 10_001, "x"));
      await g.put(caller, bucket, "odd", "there");
      await fails("PreconditionFailed", complete("odd", id, [one], { conditions: { ifNoneMatch: "*" } }));
      assert.equal((await complete("odd", id, [one], { size: 3 })).size, 3);
    });

    test("an aborted upload leaves nothing", async () => {
      const before = await bytes();
      const { id } = await begin("gone");
      await part("gone", id, 1, "one");
      await g.s3.uploads.abort(caller, bucket, "gone", id);
      assert.equal(await bytes(), before);
      await fails("NoSuchUpload", g.s3.uploads.find(bucket, "gone", id));
    });

    test("a part may be a range of another object, which stays unchanged", async () => {
      const source = await g.put(caller, bucket, "source", "0123456789");
      const { id } = await begin("copied", { checksumAlgorithm: "CRC32" });
      const made = await g.s3.uploads.copyPart(caller, bucket, {
        key: "copied",
        uploadId: id,
        number: 1,
        source,
        range: { start: 2, end: 5 },
      });
      assert.equal(made.etag, createHash("md5").update("234").digest("hex"));
      assert.equal(made.checksum, base64(digestOfBytes("crc32", Buffer.from("234"))));
      await g.s3.objects.delete(caller, bucket, { key: "source" });
      await complete("copied", id, [made]);
      assert.equal(await g.read(await g.s3.objects.head(bucket, { key: "copied" })), "234");
    });

    test("the object has a checksum of its parts' checksums, or of all bytes", async () => {
      for (const [algorithm, type] of [
        ["SHA256", "COMPOSITE"],
        ["CRC32", "COMPOSITE"],
        ["CRC32C", "FULL_OBJECT"],
        ["CRC64NVME", "FULL_OBJECT"],
      ] as const) {
        const key = `checked-${algorithm}`;
        const { id, checksumType } = await begin(key, {
          checksumAlgorithm: algorithm,
          ...(algorithm === "CRC32C" ? { checksumType: type } : {}),
        });
        assert.equal(checksumType, type);
        const contents = ["y".repeat(MIB5), "tail"];
        const parts = [];
        for (const [i, content] of contents.entries()) parts.push(await part(key, id, i + 1, content, algorithm));
        const expected =
          type === "FULL_OBJECT" ? fullChecksum(algorithm, contents) : compositeChecksum(algorithm, parts);
        const wrong = { checksum: { algorithm, value: "AAAA" } };
        await fails("BadDigest", complete(key, id, parts, wrong));
        const made = await complete(key, id, parts, { checksum: { algorithm, value: expected } });
        assert.deepEqual(made.checksum, { algorithm, type, value: expected });
      }
      await fails("InvalidRequest", begin("x", { checksumAlgorithm: "SHA1", checksumType: "FULL_OBJECT" }));
      await fails("InvalidRequest", begin("x", { checksumAlgorithm: "CRC64NVME", checksumType: "COMPOSITE" }));
    });
  });
}

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

function fullChecksum(algorithm: ChecksumAlgorithm, contents: readonly string[]): string {
  const digester = new Digester([digestName(algorithm)]);
  for (const content of contents) digester.update(Buffer.from(content));
  return base64(digester.finish()[digestName(algorithm)] ?? "");
}

function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly UploadedPart[]): string {
  const bytes = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum ?? "", "base64")));
  return `${base64(digestOfBytes(digestName(algorithm), bytes))}-${parts.length}`;
}
