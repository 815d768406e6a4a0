import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appendAudit, verifyAudit } from "#domain/audit/index.ts";
import { openGround, ORG_ID, OTHER_ORG_ID, type Ground } from "#domain/identity/testing.ts";
import { applyAuditRetention } from "#domain/organizations/index.ts";
import { trustedClock } from "#kernel/testing.ts";

const DAY_MS = 86_400_000;
const SOME = 3;
let ground: Ground;
before(async () => {
  ground = await openGround();
});
after(() => ground.close());

test("each log is cut by the retention of its organization, and not while the clock is in doubt", async () => {
  const { metadata, clock } = ground;
  const { keys: signer } = await ground.node();
  const fill = (): Promise<void> =>
    metadata.write(async (tx) => {
      for (const orgId of [ORG_ID, OTHER_ORG_ID, null])
        for (let i = 0; i < SOME; i++)
          await appendAudit(ground, tx, {
            orgId,
            actor: { kind: "system", id: null },
            action: "thing.do",
            result: "success",
          });
    });
  const count = async (orgId: string): Promise<number> =>
    (await metadata.read.selectFrom("audit").select("seq").where("org_id", "=", orgId).execute()).length;
  await ground.organization({ policy: { audit_retention_days: 30 } });
  await fill();
  clock.advance(31 * DAY_MS);
  await fill();
  const before = await count(ORG_ID);
  const guarded = trustedClock(clock);
  const log = { error: () => assert.fail("no log is broken") };
  const deps = { metadata, signer, log, defaultDays: null };

  await applyAuditRetention({ ...deps, clock: { ...guarded, deletionTime: () => null } });
  assert.equal(await count(ORG_ID), before);
  await applyAuditRetention({ ...deps, clock: guarded });
  assert.deepEqual([await count(ORG_ID), await count(OTHER_ORG_ID)], [before - SOME + 1, 2 * SOME]);
  const verdict = await verifyAudit(ground, ORG_ID);
  assert.deepEqual(verdict.ok && [verdict.cut?.total, verdict.entries], [SOME, SOME + 1], JSON.stringify(verdict));

  await applyAuditRetention({ ...deps, defaultDays: 30, clock: guarded });
  assert.equal(await count(OTHER_ORG_ID), SOME + 1);
  assert.ok((await verifyAudit(ground, OTHER_ORG_ID)).ok);
  assert.ok((await verifyAudit(ground, null)).ok);
});

test("the key of a cut stays when the server deletes it from its signing keys", async () => {
  const { metadata } = ground;
  await metadata.write((tx) => tx.deleteFrom("signing_key").execute());
  const verdict = await verifyAudit(ground, ORG_ID);
  assert.ok(verdict.ok && verdict.cut !== null);
});
