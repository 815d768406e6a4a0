/** Tests usage and quotas of organizations, for each kind and in both databases. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORG_ID, openGround, OTHER_ORG_ID, type Ground } from "#domain/identity/testing.ts";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import { Reservations } from "#kernel/reservations.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import {
  addUsage,
  bytesLeft,
  fullestOf,
  fullestOrganization,
  requireQuota,
  requireScopes,
  reserveQuota,
  setStoredQuota,
  storedQuotaAhead,
  storedQuotaOf,
  storedQuotas,
  usageOf,
  usageRows,
  type Quota,
} from "./index.ts";
import { KINDS, POLICIES, type Kind, type PolicyKind } from "./kinds.ts";

const PLACES = {
  files: { org_id: ORG_ID, place: "" },
  images: { org_id: ORG_ID },
  objects: { org_id: ORG_ID, bucket: "app_1", shard: 0 },
  events: { org_id: ORG_ID, webhook_id: "wh_1" },
} as const;
const KIND_NAMES = Object.keys(KINDS) as Kind[];
const POLICY_NAMES = Object.keys(POLICIES) as PolicyKind[];

class Full extends Error {
  readonly left: number;

  constructor(left: number) {
    super(`${left} are left`);
    this.left = left;
  }
}

function quotaOf(kind: Kind, defaultMax: number | null): Quota {
  return { kind, defaultMax, refusal: (left) => new Full(left) };
}

const full = (left: number) => (error: unknown) => error instanceof Full && error.left === left;

for (const { kind: database, skip } of DATABASES) {
  describe(`usage of organizations on ${database}`, { skip }, () => {
    let ground: Ground;
    before(async () => {
      ground = await openGround(database === "sqlite" ? {} : { url: await postgresUrl("quotas") });
    });
    after(() => ground.close());

    const add = (kind: Kind, change: Readonly<Record<string, number>>): Promise<void> =>
      ground.metadata.write(async (tx) => addUsage(tx, kind, PLACES[kind] as never, change));

    test("usage increases and decreases, and other organizations' usage does not change", async () => {
      const { read } = ground.metadata;
      for (const kind of KIND_NAMES) {
        const zeros = Object.fromEntries(KINDS[kind].columns.map((name) => [name, 0]));
        assert.deepEqual(await usageOf(read, kind, { org_id: ORG_ID }), zeros, kind);
        const [first = "", second = ""] = KINDS[kind].columns;
        await add(kind, { [first]: 5, [second]: 40 });
        await add(kind, { [first]: -2 });
        const expected = { ...zeros, [first]: 3, [second]: 40 };
        assert.deepEqual(await usageOf(read, kind, { org_id: ORG_ID }), expected, kind);
        assert.deepEqual(await usageOf(read, kind, { org_id: OTHER_ORG_ID }), zeros, kind);
        await add(kind, { [first]: -3, [second]: -40 });
        assert.deepEqual(await usageOf(read, kind, { org_id: ORG_ID }), zeros, kind);
      }
    });

    test("a transaction sees its own additions, and a failed one adds nothing", async () => {
      const quota = quotaOf("images", 10);
      const adding = ground.metadata.write(async (tx) => {
        for (let n = 0; n < 3; n += 1) {
          await requireQuota(tx, quota, { orgId: ORG_ID, bytes: 4 });
          addUsage(tx, "images", PLACES.images, { bytes: 4 });
        }
      });
      await assert.rejects(adding, full(2));
      assert.equal((await usageOf(ground.metadata.read, "images", { org_id: ORG_ID })).bytes, 0);
    });

    test("usage of one place can be read, and more rows than one page are summed", async () => {
      const { read } = ground.metadata;
      await ground.metadata.write(async (tx) => {
        for (let n = 0; n < 300; n += 1)
          addUsage(
            tx,
            "objects",
            { org_id: OTHER_ORG_ID, bucket: `app_${n % 30}`, shard: n },
            { objects: 1, bytes: n },
          );
      });
      assert.equal((await usageRows(read, "objects", { org_id: OTHER_ORG_ID })).length, 300);
      const all = await usageOf(read, "objects", { org_id: OTHER_ORG_ID });
      assert.deepEqual(all, { objects: 300, bytes: (299 * 300) / 2, writes: 0 });
      assert.equal((await usageOf(read, "objects", { org_id: OTHER_ORG_ID, bucket: "app_7" })).objects, 10);
    });

    test("every byte counts exactly, and usage at the quota is allowed", async () => {
      const { read } = ground.metadata;
      for (const kind of KIND_NAMES) {
        const { counted, columns } = KINDS[kind];
        await add(kind, Object.fromEntries(columns.map((name) => [name, 3])));
        const used = 3 * counted.length;
        const quota = quotaOf(kind, used + 10);
        assert.equal(await bytesLeft(read, quota, ORG_ID), 10, kind);
        await requireQuota(read, quota, { orgId: ORG_ID, bytes: 10 });
        await assert.rejects(requireQuota(read, quota, { orgId: ORG_ID, bytes: 11 }), full(10), kind);
        assert.equal(await bytesLeft(read, quotaOf(kind, 1), ORG_ID), 0, "more is used than the quota");
        await requireQuota(read, quotaOf(kind, 1), { orgId: ORG_ID, bytes: 0 });
        assert.equal(await bytesLeft(read, quotaOf(kind, null), ORG_ID), Number.POSITIVE_INFINITY, kind);
        await add(kind, Object.fromEntries(columns.map((name) => [name, -3])));
      }
    });

    test("the operator's quota overrides the default, and is in the audit log", async () => {
      const { metadata } = ground;
      for (const kind of POLICY_NAMES) {
        assert.equal(await storedQuotaOf(metadata.read, kind, ORG_ID), null);
        await setStoredQuota(ground, kind, ORG_ID, 7);
        assert.equal(await bytesLeft(metadata.read, quotaOf(kind, 100), ORG_ID), 7);
        assert.equal(await bytesLeft(metadata.read, quotaOf(kind, null), ORG_ID), 7);
        assert.equal(await metadata.write((tx) => storedQuotaAhead(tx, kind, ORG_ID)), 7);
        assert.deepEqual(await storedQuotas(metadata.read, kind), [{ slug: "acme", stored_bytes_max: 7 }]);
        await setStoredQuota(ground, kind, ORG_ID, NO_LIMIT);
        assert.equal(await bytesLeft(metadata.read, quotaOf(kind, 100), ORG_ID), Number.POSITIVE_INFINITY);
        await setStoredQuota(ground, kind, ORG_ID, null);
        assert.equal(await bytesLeft(metadata.read, quotaOf(kind, 100), ORG_ID), 100);
        assert.equal(await bytesLeft(metadata.read, quotaOf(kind, 100), ORG_ID, 9), 9, "the known quota");
        const { action } = POLICIES[kind];
        const rows = await metadata.read.selectFrom("audit").selectAll().where("action", "=", action).execute();
        assert.deepEqual(
          rows.map(({ actor_kind, actor_id, ip, org_id, result }) => ({ actor_kind, actor_id, ip, org_id, result })),
          Array(3).fill({ actor_kind: "system", actor_id: null, ip: null, org_id: ORG_ID, result: "success" }),
        );
        assert.deepEqual(JSON.parse(rows[0]?.detail ?? ""), {
          before: { stored_bytes_max: null },
          after: { stored_bytes_max: 7 },
        });
      }
    });

    test("the quota of a project is exact for transactions at the same time, and its share is measured", async () => {
      const { metadata } = ground;
      const row = { org_id: ORG_ID, scope: "project", target_id: "proj_q", bytes_max: 50, updated_at: 1 };
      await metadata.write((tx) => tx.insertInto("quota").values(row).execute());
      const place = { orgId: ORG_ID, projectId: "proj_q" };
      const adding = Array.from({ length: 8 }, () =>
        metadata.write(async (tx) => {
          await requireScopes(metadata, tx, { place, bytes: 10, refusal: ({ used }) => new Full(50 - used) });
          addUsage(tx, "files", { org_id: ORG_ID, place: "proj_q" }, { files: 1, bytes: 10 });
        }),
      );
      const results = await Promise.allSettled(adding);
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 5);
      const elsewhere = { place: { orgId: ORG_ID, projectId: "proj_r" }, bytes: 99, refusal: () => new Full(0) };
      await requireScopes(metadata, undefined, elsewhere);
      assert.equal(await fullestOf(metadata.read, "project"), 1);
      assert.equal(await fullestOf(metadata.read, "webhook"), 0);
      assert.equal(await fullestOrganization(metadata.read, "files", 100), 0.5);
      assert.equal(await fullestOrganization(metadata.read, "objects", null), 0);
      await metadata.write(async (tx) => {
        addUsage(tx, "files", { org_id: ORG_ID, place: "proj_q" }, { files: -5, bytes: -50 });
        await tx.deleteFrom("quota").execute();
      });
    });

    test("reserved bytes are unavailable to others until the work has counted them or failed", async () => {
      const { metadata } = ground;
      const deps = { metadata, reservations: new Reservations() };
      const quota = quotaOf("images", 10);
      const orgId = ORG_ID;
      const reserve = <T>(bytes: number, work: () => Promise<T>): Promise<T> =>
        reserveQuota(deps, quota, { orgId, bytes }, work);
      await reserve(6, async () => {
        assert.equal(deps.reservations.reservedBy(orgId), 6);
        await assert.rejects(
          reserve(5, () => assert.fail("the work began")),
          full(4),
        );
        await reserve(4, () => Promise.resolve());
      });
      const failed = reserve(10, () => Promise.reject(new Error("it broke off")));
      await assert.rejects(failed, { message: "it broke off" });
      await reserveQuota(deps, quota, { orgId, bytes: 10 }, (reservation) =>
        reservation.settle(() => add("images", { bytes: 10 })),
      );
      assert.equal(deps.reservations.reservedBy(orgId), 0);
      await assert.rejects(
        reserve(1, () => assert.fail("the work began")),
        full(0),
      );
    });
  });
}
