import assert from "node:assert/strict";
import { test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { newBucket, openS3Ground } from "../testing/ground.ts";

const ROUNDS = 1000;
const WRITERS = 64;

for (const { kind, skip } of DATABASES) {
  test(`one of 64 writers with If-None-Match wins, a thousand times, on ${kind}`, { skip }, async () => {
    const g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-race") });
    try {
      const caller = await g.key();
      const bucket = await newBucket(g, caller);
      const conditions = { ifNoneMatch: "*" } as const;
      for (let round = 0; round < ROUNDS; round++) {
        const key = `race-${round}`;
        const writers = Array.from({ length: WRITERS }, (_, i) =>
          g.put(caller, bucket, key, `writer ${i}`, { conditions }),
        );
        const results = await Promise.allSettled(writers);
        const winners = results.filter((result) => result.status === "fulfilled");
        assert.equal(winners.length, 1, `round ${round}`);
        const { etag } = await g.s3.objects.head(bucket, { key });
        assert.equal(etag, winners[0]?.value.etag);
      }
    } finally {
      await g.close();
    }
  });
}
