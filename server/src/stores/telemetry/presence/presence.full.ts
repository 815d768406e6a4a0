import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import { systemClock as clock } from "#kernel/time.ts";
import { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { recordingLog } from "../testing/store.ts";
import { giveUp, Presence, TELEMETRY_LIVE_MS, telemetryDirectories } from "./index.ts";

for (const { kind, skip } of DATABASES) {
  describe(`the presence of servers on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-presence-"));
      const url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock });
    });
    afterEach(() =>
      metadata.write(async (tx) => {
        for (const table of ["telemetry_node", "telemetry_holding"] as const) await tx.deleteFrom(table).execute();
      }),
    );
    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    const presence = (storeId: string): Presence =>
      new Presence({ metadata, storeId, log: recordingLog(), schedule: new Schedule(clock) });
    const refused = (whole: Promise<void>, about: RegExp): Promise<void> =>
      assert.rejects(whole, (error) => {
        assert.ok(error instanceof Problem && error.code === "telemetry_incomplete", String(error));
        assert.equal(error.isCallers, false);
        assert.match(error.message, about);
        return true;
      });

    test("one server answers, two refuse, and a server that stops normally counts as stopped at once", async () => {
      const [a, b] = [presence("store_a"), presence("store_b")];
      await a.start([]);
      await a.requireWhole("org_1");
      await b.start([]);
      await refused(a.requireWhole("org_1"), /^2 servers share this database/);
      await refused(b.requireWhole("org_1"), /^2 servers/);
      await b.stop();
      await a.requireWhole("org_1");
      await a.stop();
    });

    test("a server that restarts on its directory counts once", async () => {
      const first = presence("store_a");
      await first.start(["org_1"]);
      const again = presence("store_a"); // The first server was killed, so it did not report its end.
      await again.start(["org_1"]);
      await again.requireWhole("org_1");
      await again.stop();
      await first.stop();
    });

    test("if the server with an organization's rows has stopped, only that organization is refused, until an operator gives the rows up", async () => {
      const [a, b] = [presence("store_a"), presence("store_b")];
      await a.start([]);
      await b.start(["org_1"]);
      await b.announce("org_2");
      await b.stop();
      for (const orgId of ["org_1", "org_2"]) await refused(a.requireWhole(orgId), /^The directory store_b has/);
      await a.requireWhole("org_3");
      await metadata.write((tx) => giveUp(tx, metadata.dialect, "store_b"));
      await a.requireWhole("org_1");
      const back = presence("store_b");
      await back.start([]);
      await back.stop();
      await refused(a.requireWhole("org_1"), /^The directory store_b has/);
      await a.stop();
    });

    test("a silent server counts as stopped, and one with heartbeats does not", async () => {
      const [a, b] = [presence("store_a"), presence("store_b")];
      await a.start([]);
      await metadata.write((tx) =>
        tx
          .insertInto("telemetry_node")
          .values({ store_id: "store_killed", beat_at: clock.nowMs() - TELEMETRY_LIVE_MS - 60_000, given_up_at: null })
          .execute(),
      );
      await a.requireWhole("org_1");
      await b.start([]);
      await delay(TELEMETRY_LIVE_MS + 500); // Longer than one heartbeat counts.
      await refused(a.requireWhole("org_1"), /^2 servers/);
      const known = await telemetryDirectories(metadata, TELEMETRY_LIVE_MS);
      assert.deepEqual(
        known.map(({ id, isLive }) => [id, isLive]),
        [
          ["store_a", true],
          ["store_b", true],
          ["store_killed", false],
        ],
      );
      await Promise.all([a.stop(), b.stop()]);
    });

    test("repeated checks read the records at most once a second", async () => {
      const [a, b] = [presence("store_a"), presence("store_b")];
      await a.start([]);
      await a.requireWholeLately("org_1");
      await b.start([]);
      const deadline = performance.now() + 10_000;
      let refusal: unknown;
      while (refusal === undefined && performance.now() < deadline) {
        await a.requireWholeLately("org_1").catch((error: unknown) => (refusal = error));
        await delay(50);
      }
      assert.ok(refusal instanceof Problem && refusal.code === "telemetry_incomplete");
      await Promise.all([a.stop(), b.stop()]);
    });
  });
}
