/** Several servers on one bucket and one PostgreSQL. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ListMultipartUploadsCommand, ListPartsCommand, type MultipartUpload } from "@aws-sdk/client-s3";
import { PassThrough } from "node:stream";
import { postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { postgresMissing } from "../../../../../tests/fixtures/postgres-server.ts";
import type { TestPlace } from "../testing/suite.ts";
import { GRACE_MS, LARGE, makeThings, named, problem, rowCount, waitUntil } from "../testing/suite/harness.ts";
import {
  collected,
  contentOf,
  keep,
  LIMIT,
  linkNow,
  MIB,
  readAll,
  unlinkNow,
  type OpenObjects,
} from "../testing/store.ts";
import { clientOf, S3_DEFAULTS } from "./client.ts";
import type { S3Options } from "./driver.ts";
import { s3Place, testStore } from "./testing.ts";

describe("two servers with one bucket and one database", { skip: postgresMissing() ?? false }, () => {
  let databases = 0;

  type Place = TestPlace & { readonly options: S3Options };
  async function withNodes(work: (a: OpenObjects, b: OpenObjects, place: Place) => Promise<void>): Promise<void> {
    const url = await postgresUrl(`objects-nodes-${++databases}`);
    const place = await s3Place(await testStore());
    const [a, b] = await Promise.all([place.open({ url }), place.open({ url })]);
    await b.close();
    const second = await place.open({ url, clock: a.clock });
    try {
      await makeThings(a);
      await work(a, second, place);
    } finally {
      await a.close();
      await second.close();
      await place.remove();
    }
  }

  test("they agree on the store's name, and each reads the other's content", async () => {
    await withNodes(async (a, b) => {
      assert.equal(a.driver.storeId, b.driver.storeId);
      const content = contentOf(1, 12 * MIB);
      assert.ok((await readAll(b, await keep(a, content))).equals(content));
    });
  });

  test("a collector keeps the content that the other server writes and reads", async () => {
    await withNodes(async (a, b) => {
      const content = contentOf(2, 6 * MIB);
      const read = await keep(a, content);
      const reader = await a.objects.open("org_a", read);
      await unlinkNow(a, read);
      const input = new PassThrough({ highWaterMark: 16 * MIB });
      const writing = a.objects.write("org_a", input, LIMIT);
      input.write(content);
      await waitUntil(async () => (await rowCount(a)) === 2, "the beginning of the write");
      for (let i = 0; i < 3; i++) {
        a.clock.advance(GRACE_MS - 1);
        await a.objects.collect(); // Reports the blobs in use here.
        assert.equal((await b.objects.collect()).blobs, 0);
      }
      assert.ok(Buffer.concat(await collected(reader.chunks())).equals(content));
      input.end();
      const staged = await writing;
      await linkNow(a, staged);
      assert.ok((await readAll(b, staged.id)).equals(content));
    });
  });

  test("an unfinished write of a dead server is aborted after the grace period, upstream as well", async () => {
    await withNodes(async (a, b, { options }) => {
      const input = new PassThrough({ highWaterMark: 16 * MIB });
      const writing = a.objects.write("org_a", input, LIMIT);
      input.write(contentOf(3, 12 * MIB));
      const client = clientOf({ ...S3_DEFAULTS, ...options });
      const uploads = async (): Promise<MultipartUpload[]> =>
        (await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }))).Uploads ?? [];
      const partsSent = async (): Promise<number> => {
        const [{ Key, UploadId } = {}] = await uploads();
        if (Key === undefined || UploadId === undefined) return 0;
        const { Parts = [] } = await client.send(new ListPartsCommand({ Bucket: options.bucket, Key, UploadId }));
        return Parts.length;
      };
      await waitUntil(async () => (await partsSent()) === 2, "parts are sent before the end is known");
      b.clock.advance(GRACE_MS + 1); // The first server sends no heartbeat.
      assert.equal((await b.objects.collect()).blobs, 1);
      assert.deepEqual(await uploads(), []);
      assert.equal(await rowCount(b), 0);
      input.end();
      await assert.rejects(writing, problem("unavailable"));
      assert.deepEqual(await named(b), []);
      client.destroy();
    });
  });

  test("both collect at once, and each blob is deleted once", async () => {
    await withNodes(async (a, b) => {
      const ids = await Promise.all(
        Array.from({ length: 50 }, (_, i) => keep(a, contentOf(i, i % 2 === 0 ? LARGE : 10))),
      );
      await unlinkNow(a, ...ids);
      a.clock.advance(GRACE_MS + 1);
      const [first, second] = await Promise.all([a.objects.collect(), b.objects.collect()]);
      assert.equal(first.blobs + second.blobs, 50);
      await a.objects.collect();
      assert.equal(await rowCount(a), 0);
      assert.deepEqual(await named(a), []);
    });
  });
});
