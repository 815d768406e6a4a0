import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { keyBytes } from "../objects/detail.ts";
import { newBucket, ORG_ID, openS3Ground, type S3Ground } from "../testing/ground.ts";
import type { Bucket } from "../types/index.ts";

const KEYS = 1_000_000;
const PREFIXES = 1000;
const ROWS = 1000;
const TRIES = 100;
const LIMIT_MS = 10;

for (const { kind, skip } of DATABASES) {
  describe(`common prefixes on ${kind}`, { skip }, () => {
    test(`1,000 common prefixes of a million keys are listed in ${LIMIT_MS} ms`, async (t) => {
      const g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-prefixes") });
      try {
        const bucket = await filled(g);
        const times: number[] = [];
        for (let tries = 0; tries < TRIES; tries++) {
          const started = performance.now();
          const page = await g.s3.listings.objects(bucket, { prefix: "list/", delimiter: "/", max: PREFIXES });
          times.push(performance.now() - started);
          assert.equal(page.prefixes.length, PREFIXES);
        }
        times.sort((a, b) => a - b);
        t.diagnostic(`${times[0]?.toFixed(1)} ms at best, ${times[TRIES / 2]?.toFixed(1)} ms median`);
        // Compares the fastest run, because other programs use the machine too.
        assert.ok((times[0] ?? 0) < LIMIT_MS);
      } finally {
        await g.close();
      }
    });
  });
}

async function filled(g: S3Ground): Promise<Bucket> {
  const caller = await g.key();
  const bucket = await newBucket(g, caller);
  const { blobId } = await g.put(caller, bucket, "first", "x");
  const fixed = { bucket: bucket.id, org_id: ORG_ID, blob_id: blobId, version_id: "null", seq: -1, size: 1, etag: "e" };
  const rest = { modified_at: 1, owner: "", tags: "", detail: "{}", parts: null };
  for (let first = 0; first < KEYS; first += ROWS) {
    const rows = Array.from({ length: ROWS }, (_, i) => ({ ...fixed, ...rest, key: keyBytes(keyOf(first + i)) }));
    await g.ground.metadata.write((tx) => tx.insertInto("s3_object").values(rows).execute());
  }
  return bucket;
}

/** Distributes keys over all prefixes in turn, as many writers would. */
function keyOf(n: number): string {
  const prefix = String(n % PREFIXES).padStart(4, "0");
  return `list/${prefix}/${String(Math.floor(n / PREFIXES)).padStart(6, "0")}`;
}
