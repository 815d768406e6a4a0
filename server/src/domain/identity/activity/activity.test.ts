import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { DAY_MS, usageSums, type UsageKey } from "#domain/usage/index.ts";
import { Activity } from "./activity.ts";
import type { CountedRequest } from "./counts.ts";
import { Schedule } from "#stores/jobs/index.ts";

const HOUR = 60 * 60 * 1000;
const START = 1_800_000_000_000 - (1_800_000_000_000 % HOUR);
const log = { warn: () => undefined };

for (const { kind, skip } of DATABASES) {
  describe(`activity of credentials on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    let nowMs = START;
    let credentials = 0;
    const clock = { nowMs: () => nowMs };

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-activity-"));
      const url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock });
    });
    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    const node = (): Activity =>
      new Activity({ schedule: new Schedule(clock), metadata, clock: trustedClock(clock), log });
    const request = (change: Partial<CountedRequest> & { id: string | null }): CountedRequest => ({
      orgId: "org_1",
      isPerson: false,
      service: "query",
      ip: "192.0.2.1",
      userAgent: "curl/8",
      refused: false,
      limited: false,
      projectId: null,
      bytesIn: 0,
      bytesOut: 0,
      ...change,
    });
    const fresh = (): string => `cred_${++credentials}`;

    test("daily usage of two nodes adds up on each UTC day, with a page for each key", async () => {
      const orgId = `org_${fresh()}`;
      const [one, two] = [node(), node()];
      const used = { orgId, projectId: "proj_1", bytesIn: 3, bytesOut: 4_000_000_000 };
      const before = nowMs;
      for (const activity of [one, two]) activity.count(request({ id: "cred_u", ...used }));
      one.count(request({ id: null, ...used, service: "webhooks" }));
      two.count(request({ id: "user_u", isPerson: true, ...used, projectId: null }));
      one.countScan({ orgId, projectId: "proj_1", service: "query", credentialId: "cred_u", bytes: 77 });
      await Promise.all([one.flush(), two.flush()]);
      nowMs += DAY_MS;
      one.count(request({ id: "cred_u", ...used, refused: true }));
      await Promise.all([one.stop(), two.stop()]);
      const [day, next] = [before - (before % DAY_MS), nowMs - (nowMs % DAY_MS)];
      nowMs = before;
      const filter = { fromDay: day, toDay: next };
      const by = ["project_id", "credential_id", "service"] as const;
      const found: unknown[] = [];
      for (let after: UsageKey | undefined; ;) {
        const [row] = await usageSums(metadata.read, orgId, filter, { by, after, limit: 1 });
        if (row === undefined) break;
        after = [row.day, row.project_id, row.credential_id, row.service];
        found.push([...after, row.requests, row.refused, row.bytes_in, row.bytes_out, row.bytes_scanned]);
      }
      assert.deepEqual(found, [
        [next, "proj_1", "cred_u", "query", 1, 1, 3, 4_000_000_000, 0],
        [day, "", "", "query", 1, 0, 3, 4_000_000_000, 0],
        [day, "proj_1", "", "webhooks", 1, 0, 3, 4_000_000_000, 0],
        [day, "proj_1", "cred_u", "query", 2, 0, 6, 8_000_000_000, 77],
      ]);
      const [total] = await usageSums(metadata.read, orgId, filter, { by: [], total: true, limit: 1 });
      assert.equal(total?.requests, 5);
    });

    test("two nodes add to the same rows, and nothing is written before a flush", async () => {
      const id = fresh();
      const [one, two] = [node(), node()];
      for (const activity of [one, two]) activity.count(request({ id }));
      one.count(request({ id, service: "files", refused: true }));
      assert.deepEqual((await one.ofCredential(id)).lastDay, { requests: 0, refused: 0 });
      await Promise.all([one.stop(), two.stop()]);
      nowMs += 1000;
      one.count(request({ id }));
      await one.stop();
      assert.deepEqual(await two.ofCredential(id), {
        lastHour: { requests: 4, refused: 1 },
        lastDay: { requests: 4, refused: 1 },
        byService: [
          { service: "query", requests: 3 },
          { service: "files", requests: 1 },
        ],
        byAddress: [{ ip: "192.0.2.1", user_agent: "curl/8", requests: 4, last_at: nowMs }],
      });
    });

    test("activity is kept by the minute for an hour and by the hour for a day; older activity is deleted", async () => {
      const id = fresh();
      const activity = node();
      activity.count(request({ id }));
      await activity.flush();
      nowMs += HOUR + 60_000;
      activity.count(request({ id }));
      await activity.flush();
      const { lastHour, lastDay } = await activity.ofCredential(id);
      assert.deepEqual([lastHour.requests, lastDay.requests], [1, 2]);
      nowMs += 24 * HOUR;
      assert.deepEqual((await activity.ofCredential(id)).lastDay, { requests: 1, refused: 0 });
      nowMs += 49 * HOUR;
      activity.count(request({ id: fresh() }));
      await activity.stop();
      for (const table of ["credential_activity", "credential_minute"] as const) {
        const rows = await metadata.read.selectFrom(table).select("credential_id").execute();
        assert.deepEqual(rows, [{ credential_id: `cred_${credentials}` }], table);
      }
    });

    test("fifty addresses are counted separately in an hour, and the rest together", async () => {
      const id = fresh();
      const activity = node();
      const sendRequests = async (): Promise<void> => {
        for (let i = 0; i < 60; i++) activity.count(request({ id, ip: `192.0.2.${i}`, userAgent: "x".repeat(300) }));
        await activity.flush();
      };
      await sendRequests();
      await sendRequests();
      const rows = await metadata.read
        .selectFrom("credential_activity")
        .select(["ip", "user_agent", "requests"])
        .where("credential_id", "=", id)
        .execute();
      assert.equal(rows.length, 51);
      assert.ok(rows.every((row) => row.user_agent.length <= 200 && (row.ip === "") === (row.requests === 20)));
      const { byAddress } = await activity.ofCredential(id);
      assert.deepEqual([byAddress.length, byAddress[0]?.requests, byAddress[0]?.ip], [10, 20, ""]);
    });

    test("people's requests count for their organization only, also rate-limited ones", async () => {
      const id = fresh();
      const activity = node();
      const orgId = `org_of_${id}`;
      activity.count(request({ id: "user_1", orgId, isPerson: true }));
      activity.count(request({ id, orgId, refused: true, limited: true }));
      await activity.stop();
      assert.deepEqual(await activity.ofOrganization(orgId), [
        { service: "query", requests: 2, refused: 1, limited: 1 },
      ]);
      assert.deepEqual((await activity.ofCredential("user_1")).byAddress, []);
    });

    test("counts that can't be stored are stored later, once", async () => {
      const id = fresh();
      let isAway = true;
      const write: MetadataStore["write"] = (work) =>
        isAway ? Promise.reject(new Error("away")) : metadata.write(work);
      const activity = new Activity({
        schedule: new Schedule(clock),
        metadata: { ...metadata, read: metadata.read, write },
        clock: trustedClock(clock),
        log,
      });
      for (let i = 0; i < 3; i++) activity.count(request({ id, ip: `192.0.2.${i}` }));
      await assert.rejects(activity.flush(), /away/);
      activity.count(request({ id }));
      isAway = false;
      await activity.stop();
      const { lastHour, lastDay, byAddress } = await activity.ofCredential(id);
      assert.deepEqual([lastHour.requests, lastDay.requests, byAddress.length], [4, 4, 3]);
    });

    test("more rows than one transaction writes are all written", async () => {
      const activity = node();
      const ids = Array.from({ length: 1201 }, fresh);
      for (const id of ids) activity.count(request({ id }));
      await activity.stop();
      for (const id of [ids[0], ids[600], ids[1200]])
        assert.equal((await activity.ofCredential(id ?? "")).lastDay.requests, 1);
    });
  });
}
