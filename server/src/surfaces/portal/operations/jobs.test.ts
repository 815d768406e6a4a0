import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Schedule, createJobs } from "#stores/jobs/index.ts";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/jobs";

describe("listJobs", () => {
  const portal = useOperator();

  test("periodic work, with its last result", async () => {
    const run = (): Promise<void> => Promise.reject(new Error("the disk is full"));
    const work = portal.server.schedule.add("content", { everyMs: 60_000, run, failed: () => undefined });
    await assert.rejects(work.run());
    const { status, json, text } = await portal.browser.call("GET", PATH);
    assert.equal(status, 200, text);
    const [shown = assert.fail()] = json["periodic"] as { last: { failure: string } }[];
    const { last, next_at: nextAt, ...rest } = shown as typeof shown & { next_at: string };
    assert.deepEqual(rest, {
      name: "content",
      does: "Deletes content without references.",
      on: "each_node",
      setting: "object_collect_ms",
      every_ms: 60_000,
      running_since: null,
      is_running: false,
    });
    assert.ok(Date.parse(nextAt) > portal.server.clock.nowMs(), nextAt);
    assert.equal(last.failure, "the disk is full");
    await work.stop();
  });

  test("periodic work that one node does at a time, with its last run on any node", async () => {
    const { metadata, clock, schedule } = portal.server;
    const log = { warn: () => undefined };
    const jobs = createJobs({ metadata, clock, log, schedule });
    const nowMs = clock.nowMs();
    const one = { concurrency: 1, concurrencyPerGroup: 1, retryMs: () => 60_000 };
    let runs = 0;
    const run = async (): Promise<{ dueAtMs: number }> => ({ dueAtMs: nowMs + ++runs * 3_600_000 });
    jobs.start([{ ...one, kind: "s3.tidy", everyMs: 3_600_000, run }]);
    await metadata.write((tx) => jobs.put(tx, { kind: "s3.tidy", key: "all", group: "", dueAtMs: nowMs }));
    const shown = async (until: (last: object | null) => boolean): Promise<Record<string, unknown>> => {
      for (const untilMs = performance.now() + 10_000; performance.now() < untilMs;) {
        const { json } = await portal.browser.call("GET", PATH);
        const works = json["periodic"] as { name: string; last: object | null; is_running: boolean }[];
        const work = works.find(({ name }) => name === "old S3 records") ?? assert.fail("the work is not in the list");
        if (until(work.last) && !work.is_running) return { ...work };
      }
      return assert.fail("the job did not run");
    };
    const { last, does, ...rest } = await shown((ran) => ran !== null);
    assert.deepEqual(rest, {
      name: "old S3 records",
      on: "one_node",
      setting: null,
      every_ms: 3_600_000,
      running_since: null,
      is_running: false,
      next_at: new Date(nowMs + 3_600_000).toISOString(),
    });
    assert.match(String(does), /completed uploads/);
    assert.equal((last as { failure: null }).failure, null);
    const answer = await portal.browser.call("POST", `${PATH}/${encodeURIComponent("old S3 records")}/run`, {});
    assert.equal(answer.status, 204, answer.text);
    await shown(() => runs === 2);
    await jobs.stop();
    await metadata.write((tx) => jobs.remove(tx, "s3.tidy", "all"));
  });

  test("waiting jobs by kind, with failing ones", async () => {
    const nowMs = portal.server.clock.nowMs();
    const { metadata, clock } = portal.server;
    const jobs = createJobs({ schedule: new Schedule(clock), metadata, clock, log: { warn: () => undefined } });
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
        does: null,
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

  test("runs the work now, and the server's log names the operator", async () => {
    let runs = 0;
    const run = async (): Promise<void> => void (runs += 1);
    const work = portal.server.schedule.add("uploads and trash", { everyMs: 60_000, run, failed: assert.ifError });
    const answer = await portal.browser.call("POST", `${PATH}/${encodeURIComponent("uploads and trash")}/run`, {});
    assert.equal(answer.status, 204, answer.text);
    assert.equal(runs, 1);
    await work.stop();
    const rows = await portal.server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "job.run")
      .execute();
    assert.deepEqual(
      rows.map((row) => row.target_id),
      ["uploads and trash"],
    );
  });

  test("not_found for unknown work, invalid_body", async () => {
    assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, {})).json["code"], "not_found");
    assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, { now: true })).json["code"], "invalid_body");
  });
});
