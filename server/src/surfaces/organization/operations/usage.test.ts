import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setStoredQuota } from "#domain/quotas/index.ts";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import { USAGE_ROUTES } from "@mooring/contract";
import { systemClock as clock } from "#kernel/time.ts";
import { boundToken, newS3Key } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { createWorld, type World } from "../testing/world.ts";
import { withUsage } from "../testing/usage.ts";

const path = "/v1/usage";
const DAY_MS = 24 * 60 * 60 * 1000;

testOperation(
  USAGE_ROUTES.getUsage,
  { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
  withUsage(),
);

interface Body {
  readonly services: Record<string, Record<string, unknown>>;
  readonly requests_last_day: { readonly service: string }[];
  readonly rate_limit: { readonly per_second: number; readonly burst: number; readonly hits_last_day: number };
  readonly credentials: unknown;
  readonly s3_keys: unknown;
  readonly members: number;
  readonly projects: number;
  readonly apps: number;
}

describe("the usage of an organization", () => {
  let world: World;
  before(async () => {
    world = await createWorld({ ...withUsage(), rateLimit: { perSecond: 0.001, burst: 20 } });
  });
  after(() => world.close());

  const usageOf = async (tenant = world.acme): Promise<Body> => {
    await world.identity.activity.flush();
    const token = world.person(tenant, tenant.people.owner);
    return (await world.call("GET", path, { token })).json as unknown as Body;
  };

  test("has the counters of each service, with its own limit or the server's default", async () => {
    const { metadata, acme } = world;
    const own = { org_id: acme.id };
    await metadata.write(async (tx) => {
      const files = {
        place: acme.open.id,
        files: 2,
        bytes: 20,
        grants: 1,
        reserved: 5,
        trashed_files: 1,
        trashed_bytes: 7,
      };
      await tx
        .insertInto("file_usage")
        .values({ ...own, ...files })
        .execute();
      for (const shard of [0, 1])
        await tx
          .insertInto("s3_usage")
          .values({ ...own, bucket: "acme-open", shard, objects: 3, bytes: 30, writes: 3 })
          .execute();
      await tx
        .insertInto("registry_usage")
        .values({ ...own, bytes: 40, uploading: 4 })
        .execute();
      await tx
        .insertInto("webhook_usage")
        .values({ ...own, webhook_id: "wh_1", events: 5, bytes: 50, purged: 0 })
        .execute();
    });
    await setStoredQuota({ metadata, clock }, "files", acme.id, 1000);
    await setStoredQuota({ metadata, clock }, "images", acme.id, NO_LIMIT);
    const { telemetry, ...stored } = (await usageOf()).services;
    assert.deepEqual(stored, {
      files: { bytes: 20, count: 2, trashed_bytes: 7, reserved_bytes: 5, quota_bytes: 1000 },
      buckets: { bytes: 60, objects: 6, quota_bytes: 200 },
      images: { bytes: 40, uploading_bytes: 4, quota_bytes: null },
      webhooks: { bytes: 50, events: 5, quota_bytes: null },
    });
    assert.deepEqual(telemetry, {
      bytes: 0,
      rows: { logs: 0, metrics: 0, traces: 0 },
      quota_bytes: 400,
      ingest_bytes_per_second: null,
      ingest_bytes_burst: null,
    });
    const rival = (await usageOf(world.rival)).services;
    assert.deepEqual([rival["files"]?.["bytes"], rival["files"]?.["quota_bytes"]], [0, 100]);
    assert.equal(rival["images"]?.["quota_bytes"], 300);
  });

  test("counts people, projects, apps and keys, and keys that expire soon", async () => {
    const { metadata, identity } = world;
    const before = await usageOf(world.rival);
    assert.deepEqual([before.members, before.projects, before.apps], [5, 2, 2]);
    assert.deepEqual(before.credentials, { live: 0, expiring_within_30_days: 0 });
    const actor = { kind: "system", id: "test", orgId: world.rival.id } as const;
    for (const days of [1, 29, 31, null])
      await identity.credentials.create(
        { actor },
        {
          name: "x",
          projectId: null,
          scopes: ["org:read"],
          expiresAtMs: days === null ? null : clock.nowMs() + days * DAY_MS,
        },
      );
    const { credential } = await identity.credentials.create(
      { actor },
      { name: "x", projectId: null, scopes: ["org:read"] },
    );
    await identity.credentials.revoke({ actor }, credential.id);
    await newS3Key(world, world.rival);
    const { credentials, s3_keys: keys } = await usageOf(world.rival);
    assert.deepEqual(credentials, { live: 4, expiring_within_30_days: 2 });
    assert.deepEqual(keys, { live: 1, expiring_within_30_days: 0 });
    const policy = JSON.stringify({ allowed_scopes: null, credential_lifetime_days_max: 20 });
    await metadata.write(async (tx) => {
      await tx.updateTable("organization").set({ policy }).where("id", "=", world.rival.id).execute();
    });
    const narrowed = await usageOf(world.rival);
    assert.deepEqual(narrowed.credentials, { live: 4, expiring_within_30_days: 4 });
    assert.deepEqual(narrowed.s3_keys, { live: 1, expiring_within_30_days: 1 });
  });

  test("counts requests by service, and rate-limited ones", async () => {
    const tenant = await world.tenant("busy");
    const token = await world.token({ tenant });
    for (let i = 0; i < 23; i++) await world.call("GET", "/v1/me", { token });
    const { requests_last_day: requests, rate_limit: rate } = await usageOf(tenant);
    assert.deepEqual(requests, [{ service: "organization", requests: 23, refused: 3 }]);
    assert.deepEqual(rate, { per_second: 7, burst: 9, hits_last_day: 3 });
  });
});
