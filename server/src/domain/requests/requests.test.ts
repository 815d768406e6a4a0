import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newId } from "#kernel/ids.ts";
import type { RefusedRequest } from "#kernel/refusal.ts";
import { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import type { PersonPrincipal } from "../identity/index.ts";
import { findRefused, keptSince, listRefused, RefusedRequests, tidyRequests } from "./index.ts";

const DAY_MS = 24 * 3_600_000;
const LOG = { warn: () => undefined };

function reader(orgId: string, id = "user_9"): PersonPrincipal {
  return {
    kind: "person",
    id,
    email: "a@b",
    orgId,
    orgSlug: "a",
    organization: { state: "active", reason: null },
    role: "owner",
    scopes: new Set(["audit:read", "projects:read"]),
    endsAtMs: null,
    projects: new Map(),
  };
}

for (const { kind, skip } of DATABASES) {
  describe(`refused requests on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    let nowMs = 1_800_000_000_000;
    const clock = trustedClock({ nowMs: () => nowMs });
    const node = (): RefusedRequests =>
      new RefusedRequests({ metadata, clock, log: LOG, schedule: new Schedule(clock) });
    const read = (requests: RefusedRequests) => ({ metadata, clock, requests });

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-requests-"));
      const url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock });
    });

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    function refused(orgId: string, more: Partial<RefusedRequest> = {}): RefusedRequest {
      return {
        id: newId("req", nowMs),
        clientId: null,
        atMs: nowMs,
        surface: "files",
        operation: "listFiles",
        method: "GET",
        status: 403,
        refusal: { code: "insufficient_scope", detail: "no", options: { scope: "files:read" } },
        actor: { kind: "credential", id: "cred_1", orgId },
        ip: "192.0.2.1",
        userAgent: "curl",
        ...more,
      };
    }

    test("another node finds a request after it was saved, and the node itself at once", async () => {
      const [here, there] = [node(), node()];
      const request = refused("org_1", { clientId: "mine-0001" });
      here.note(request);
      assert.equal((await findRefused(read(here), reader("org_1"), request.id)).length, 1);
      assert.equal((await findRefused(read(there), reader("org_1"), request.id)).length, 0);
      await here.flush();
      for (const id of [request.id, "mine-0001"]) {
        assert.equal((await findRefused(read(there), reader("org_1"), id))[0]?.id, request.id);
        assert.equal((await findRefused(read(here), reader("org_1"), id)).length, 1, "once");
        assert.deepEqual(await findRefused(read(there), reader("org_2"), id), []);
      }
    });

    test("equal refusals of a minute share a row, and each id is found", async () => {
      const requests = node();
      const all = Array.from({ length: 30 }, () => refused("org_3"));
      for (const each of all) requests.note(each);
      await requests.flush();
      const other = node();
      for (const { id } of all) {
        const [found] = await findRefused(read(other), reader("org_3"), id);
        assert.deepEqual([found?.id, found?.repeats], [id, 29]);
      }
      assert.equal((await listRefused(read(other), reader("org_3"), { limit: 50, cursor: undefined })).items.length, 1);
      nowMs += 60_000;
      requests.note(refused("org_3"));
      await requests.flush();
      const page = await listRefused(read(other), reader("org_3"), { limit: 1, cursor: undefined });
      assert.equal(page.items[0]?.atMs, nowMs);
      const next = await listRefused(read(other), reader("org_3"), { limit: 1, cursor: page.nextCursor ?? "" });
      assert.deepEqual([next.items.length, next.nextCursor], [1, null]);
    });

    test("a flood of one organization keeps 2,000, then 50 a second, and does not cost others their records", async () => {
      const requests = node();
      const floods = Array.from({ length: 3_000 }, () => refused("org_4"));
      for (const each of floods) requests.note(each);
      const other = refused("org_5");
      requests.note(other);
      await requests.flush();
      const rows = await metadata.read
        .selectFrom("refused_repeat")
        .select("id")
        .where("org_id", "=", "org_4")
        .execute();
      assert.equal(rows.length, 1_999);
      assert.equal((await findRefused(read(node()), reader("org_5"), other.id)).length, 1);
    });

    test("one of a hundred requests without a known caller is kept, and no organization reads it", async () => {
      const requests = node();
      const strangers = Array.from({ length: 200 }, (_, i) => refused("", { actor: null, ip: `192.0.2.${i}` }));
      for (const each of strangers) requests.note(each);
      await requests.flush();
      const kept = await metadata.read.selectFrom("refused_request").select("id").where("actor_id", "=", "").execute();
      assert.equal(kept.length, 2);
      for (const { id } of kept) assert.deepEqual(await findRefused(read(requests), reader("org_1"), id), []);
    });

    test("secrets are cut out of texts, and long texts are cut", async () => {
      const requests = node();
      const secret = `mrcs_${"a".repeat(49)}`;
      const request = refused("org_6", {
        userAgent: `x ${secret}`,
        refusal: { code: "invalid_body", detail: `${secret} ${"y".repeat(1_000)}`, options: {} },
      });
      requests.note(request);
      const [found] = await findRefused(read(requests), reader("org_6"), request.id);
      assert.ok(found !== undefined && !JSON.stringify(found).includes(secret));
      assert.ok(found.record.detail.length <= 400);
    });

    test("a request without an organization is found by its caller only", async () => {
      const requests = node();
      const request = refused("", { actor: { kind: "person", id: "user_1", orgId: null } });
      requests.note(request);
      await requests.flush();
      for (const store of [requests, node()]) {
        assert.equal((await findRefused(read(store), reader("org_1", "user_1"), request.id)).length, 1);
        assert.equal((await findRefused(read(store), reader("org_1", "user_2"), request.id)).length, 0);
      }
    });

    test("old requests are deleted, and the oldest ones if all take too many bytes", async () => {
      const requests = node();
      const old = refused("org_7");
      requests.note(old);
      await requests.flush();
      nowMs += 7 * DAY_MS + 1;
      const young = Array.from({ length: 20 }, (_, i) => refused("org_7", { operation: `operation ${i}` }));
      for (const each of young) requests.note(each);
      await requests.flush();
      const shown = node();
      await tidyRequests({ metadata, clock });
      assert.deepEqual(await findRefused(read(shown), reader("org_7"), old.id), []);
      assert.equal((await findRefused(read(shown), reader("org_7"), young[0]?.id ?? "")).length, 1);
      assert.equal(await keptSince(read(shown)), nowMs);
      await tidyRequests({ metadata, clock }, 1);
      assert.deepEqual(await metadata.read.selectFrom("refused_request").select("id").execute(), []);
    });
  });
}
