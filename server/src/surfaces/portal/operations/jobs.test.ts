import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createJobs } from "#stores/jobs/index.ts";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/jobs";

describe("listJobs", () => {
  const portal = useOperator();

  test("what runs at intervals, with how it went", async () => {
    const run = portal.server.work.watch("sweep", 60_000, async () => {
      throw new Error("the disk is full");
    });
    await assert.rejects(run());
    const { status, json, text } = await portal.browser.call("GET", PATH);
    assert.equal(status, 200, text);
    const [work = assert.fail()] = json["periodic"] as {
      name: string;
      running_since: null;
      last: { failure: string };
    }[];
    assert.equal(work.name, "sweep");
    assert.equal(work.running_since, null);
    assert.equal(work.last.failure, "the disk is full");
  });

  test("what waits in the queue, by kind, with those that fail", async () => {
    const nowMs = portal.server.clock.nowMs();
    const { metadata, clock } = portal.server;
    const jobs = createJobs({ metadata, clock, log: { warn: () => undefined } });
    await metadata.write(async (tx) => {
      await jobs.put(tx, { kind: "delivery", key: "a", group: "org_1", dueAtMs: nowMs + 60_000 });
      await jobs.put(tx, { kind: "delivery", key: "b", group: "org_1", dueAtMs: nowMs });
    });
    jobs.start([
      {
        kind: "delivery",
        concurrency: 1,
        concurrencyPerGroup: 1,
        retryMs: () => 3_600_000,
        run: () => Promise.reject(new Error("nobody answers")),
      },
    ]);
    const failing = async (): Promise<object[]> => {
      for (const untilMs = performance.now() + 10_000; performance.now() < untilMs;) {
        const { json } = await portal.browser.call("GET", PATH);
        const queued = json["queued"] as { failing: number; running: number }[];
        if (queued[0]?.failing === 1 && queued[0].running === 0) return queued;
      }
      return assert.fail("the job did not fail");
    };
    assert.deepEqual(await failing(), [
      {
        kind: "delivery",
        waiting: 2,
        running: 0,
        parked: 0,
        failing: 1,
        next_at: new Date(nowMs + 60_000).toISOString(),
        last_error: "nobody answers",
      },
    ]);
    await jobs.stop();
  });
});

describe("runJob", () => {
  const portal = useOperator();

  test("runs it now, and says so in the server's own log", async () => {
    let runs = 0;
    portal.server.work.watch("sweep of things", 60_000, async () => void (runs += 1));
    const answer = await portal.browser.call("POST", `${PATH}/${encodeURIComponent("sweep of things")}/run`, {});
    assert.equal(answer.status, 204, answer.text);
    assert.equal(runs, 1);
    const rows = await portal.server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "job.run")
      .execute();
    assert.deepEqual(
      rows.map((row) => row.target_id),
      ["sweep of things"],
    );
  });

  test("not_found for what there is not, invalid_body", async () => {
    assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, {})).json["code"], "not_found");
    assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, { now: true })).json["code"], "invalid_body");
  });
});
