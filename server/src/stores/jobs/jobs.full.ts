import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock, type Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { Schedule, createJobs, type JobsOptions } from "./index.ts";
import type { Job, JobHandler, JobOutcome, Jobs } from "./types.ts";
import { claimJobs, extendLease, release, wakeGroup } from "./store.ts";

const DONE: JobOutcome = { dueAtMs: null };
const SILENT = { warn: () => undefined };

for (const { kind: database, skip } of DATABASES) {
  describe(`jobs on ${database}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    const nodes: Jobs[] = [];
    const stores: MetadataStore[] = [];

    beforeEach(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-jobs-"));
      metadata = await open();
    });
    afterEach(async () => {
      await Promise.all(nodes.splice(0).map((node) => node.stop()));
      for (const store of stores.splice(0)) await store.close();
      rmSync(dataDir, { recursive: true });
    });

    async function open(): Promise<MetadataStore> {
      const url = database === "sqlite" ? undefined : await postgresUrl(dataDir);
      const store = await openTestMetadata({ url, dataDir, clock: systemClock });
      stores.push(store);
      return store;
    }

    function node(options: Partial<JobsOptions> = {}): Jobs {
      const jobs = createJobs({
        schedule: new Schedule(systemClock),
        metadata,
        clock: systemClock,
        log: SILENT,
        pollMs: 20,
        ...options,
      });
      nodes.push(jobs);
      return jobs;
    }

    const put = (jobs: Jobs, key: string, dueAtMs = 0, group = "org_1"): Promise<void> =>
      metadata.write((tx) => jobs.put(tx, { kind: "count", key, group, dueAtMs, payload: { key } }));
    /** Records a finished run in the transaction that finishes it. */
    const record = (key: string) => async (tx: Writer) => {
      await tx
        .insertInto("node")
        .values({ id: `${key}`, applied_seq: 1, started_at: 0, seen_at: 0 })
        .execute();
    };
    const recorded = async (): Promise<string[]> =>
      (await metadata.read.selectFrom("node").select("id").orderBy("id").execute()).map((row) => row.id);
    const left = async () => metadata.read.selectFrom("job").selectAll().execute();

    test("a job runs when it is due and not before, with its payload, and is deleted when it is done", async () => {
      const clock = movable(1000);
      const seen: unknown[] = [];
      const jobs = node({ clock });
      jobs.start([handler(async (job) => (seen.push(job.payload), { ...DONE, commit: record(job.key) }))]);
      await put(jobs, "late", 5000);
      await put(jobs, "soon", 1000);
      await until(async () => (await recorded()).length === 1);
      assert.deepEqual(seen, [{ key: "soon" }]);
      clock.advance(4000);
      await until(async () => (await left()).length === 0);
      assert.deepEqual(await recorded(), ["late", "soon"]);
    });

    test("a job whose group must wait does not run, keeps its attempts, and runs when its group is woken", async () => {
      const clock = movable(1000);
      const held = new Set(["org_held"]);
      const runs: string[] = [];
      const jobs = node({ clock });
      const waits = async (group: string): Promise<boolean> => held.has(group);
      jobs.start([handler(async (job) => (runs.push(job.group), { ...DONE, commit: record(job.key) }), { waits })]);
      await put(jobs, "held", 1000, "org_held");
      await put(jobs, "free", 1000, "org_free");
      await until(async () =>
        (await left()).every(({ key, owner, due_at }) => key === "held" && owner === null && due_at > 1000),
      );
      const [waiting] = await left();
      assert.deepEqual([runs, waiting?.attempts, waiting?.claims], [["org_free"], 0, 0]);
      held.clear();
      await metadata.write((tx) => wakeGroup({ metadata, clock }, tx, "org_other"));
      assert.ok(((await left())[0]?.due_at ?? 0) > 1000, "another group wakes it");
      await metadata.write((tx) => wakeGroup({ metadata, clock }, tx, "org_held"));
      await until(async () => (await left()).length === 0);
      assert.deepEqual(runs, ["org_free", "org_held"]);
    });

    test("a job that names its next time waits for it", async () => {
      const clock = movable(0);
      const due: number[] = [];
      const jobs = node({ clock });
      jobs.start([handler(async (job) => (due.push(job.dueAtMs), { dueAtMs: job.dueAtMs + 60_000 }))]);
      await put(jobs, "every minute", 0);
      for (const expected of [[0], [0, 60_000], [0, 60_000, 120_000]]) {
        await until(async () => due.length === expected.length && (await left())[0]?.owner === null);
        assert.deepEqual(due, expected);
        clock.advance(60_000);
      }
    });

    test("a job that a wrong clock put far ahead does not wait for that time", async () => {
      const [wrong, right] = [movable(1e12), movable(5000)];
      const first = node({ clock: wrong });
      const hour = { waitMsMax: 3_600_000 };
      first.start([handler(async (job) => ({ dueAtMs: job.dueAtMs + 60_000 }), hour)]);
      await put(first, "every minute", 1e12);
      await until(async () => (await left())[0]?.due_at === 1e12 + 60_000);
      await first.stop();
      const second = node({ clock: right });
      second.start([handler(async (job) => ({ dueAtMs: job.dueAtMs + 60_000 }), hour)]);
      await until(async () => (await left())[0]?.due_at === 65_000);
    });

    test("a renewal after the end of the run does not move the next time", async () => {
      const jobs = node();
      await put(jobs, "renewed");
      const claim = { kind: "count", owner: "one", nowMs: 1000, leaseMs: 1000, limit: 1, fullGroups: [] };
      const [claimed] = await metadata.write((tx) => claimJobs(tx, metadata.dialect, claim));
      assert.ok(claimed);
      const { row } = claimed;
      assert.equal(await metadata.write((tx) => extendLease(tx, row, 3000)), true);
      const next = { dueAtMs: 1e9, attempts: 0, lastError: null };
      assert.equal(await metadata.write((tx) => release(tx, row, next)), true);
      assert.equal(await metadata.write((tx) => extendLease(tx, row, 4000)), false);
      assert.equal((await left())[0]?.due_at, 1e9);
    });

    test("200 jobs on three nodes: each finishes once, and never runs twice at a time", async () => {
      const inside = new Set<string>();
      let runs = 0;
      const run = async (job: Job): Promise<JobOutcome> => {
        runs += 1;
        assert.ok(!inside.has(job.key), `${job.key} runs twice at a time`);
        inside.add(job.key);
        await delay(Math.random() * 3);
        inside.delete(job.key);
        return { ...DONE, commit: record(job.key) };
      };
      const [first] = [node(), node({ metadata: await open() }), node({ metadata: await open() })];
      await metadata.write(async (tx) => {
        for (let i = 0; i < 200; i++)
          await first.put(tx, { kind: "count", key: `job-${i}`, group: `${i}`, dueAtMs: 0 });
      });
      for (const each of nodes) each.start([handler(run, { concurrency: 4 })]);
      await until(async () => (await left()).length === 0, 20_000);
      assert.equal((await recorded()).length, 200);
      assert.equal(runs, 200);
    });

    test("a job whose lease has ended is taken over, and the first run's result is not written", async () => {
      const [slow, fast] = [movable(0), movable(0)];
      const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
      let lost = false;
      const first = node({ clock: slow, leaseMs: 60_000 });
      first.start([
        handler(async (job) => {
          await hold;
          lost = true;
          return { ...DONE, commit: record(`first-${job.key}`) };
        }),
      ]);
      await put(first, "held");
      await until(async () => (await left())[0]?.owner !== null);
      const second = node({ clock: fast, leaseMs: 60_000, metadata: await open() });
      let runs = 0;
      second.start([
        handler(async (job) => {
          runs += 1;
          return { ...DONE, commit: record(`second-${job.key}`) };
        }),
      ]);
      await delay(100);
      assert.equal(runs, 0, "the lease holds");
      fast.advance(60_001);
      await until(async () => (await recorded()).length === 1);
      letGo();
      await until(async () => lost);
      await first.stop();
      assert.deepEqual(await recorded(), ["second-held"]);
    });

    test("a run keeps its lease until it ends", async () => {
      let runs = 0;
      const run = async (job: Job): Promise<JobOutcome> => {
        runs += 1;
        await delay(3_000);
        return { ...DONE, commit: record(job.key) };
      };
      const both = [node({ leaseMs: 1_000 }), node({ leaseMs: 1_000, metadata: await open() })];
      await put(both[0] as Jobs, "long");
      for (const each of both) each.start([handler(run)]);
      await until(async () => (await recorded()).length === 1);
      assert.equal(runs, 1);
    });

    test("a failure is retried later, and given up when the handler asks for it", async () => {
      const clock = movable(0);
      const attempts: number[] = [];
      const jobs = node({ clock });
      const failing = handler(
        (job) => {
          attempts.push(job.attempts);
          return Promise.reject(new Error("not today"));
        },
        { retryMs: (failed) => (failed > 2 ? null : failed * 1000) },
      );
      jobs.start([failing]);
      await put(jobs, "failing");
      await until(async () => (await left())[0]?.due_at === 1000);
      assert.equal((await left())[0]?.last_error, "not today");
      clock.advance(1000);
      await until(async () => (await left())[0]?.due_at === 3000);
      clock.advance(2000);
      await until(async () => (await left()).length === 0);
      assert.deepEqual(attempts, [0, 1, 2]);
    });

    test("a failed commit fails the run, and leaves nothing behind", async () => {
      const jobs = node();
      let runs = 0;
      const run = async (job: Job): Promise<JobOutcome> => {
        runs += 1;
        const broken = runs === 1;
        return {
          ...DONE,
          commit: async (tx) => {
            await record(job.key)(tx);
            if (broken) throw new Error("it can't be kept");
          },
        };
      };
      jobs.start([handler(run)]);
      await put(jobs, "twice");
      await until(async () => (await left()).length === 0);
      assert.equal(runs, 2);
      assert.deepEqual(await recorded(), ["twice"]);
    });

    test("a job that changes during its run runs again afterwards; the first run is aborted and its result is void", async () => {
      const jobs = node();
      const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
      let runs = 0;
      let told: AbortSignal | undefined;
      const fences: number[] = [];
      jobs.start([
        handler(async (job) => {
          const mine = ++runs;
          fences.push(job.fence);
          told ??= job.signal;
          if (mine === 1) await hold;
          return { ...DONE, commit: record(`run-${mine}-${job.key}`) };
        }),
      ]);
      await put(jobs, "changed");
      await until(async () => runs === 1);
      await put(jobs, "changed");
      await until(async () => told?.aborted === true);
      assert.equal(runs, 1, "the second run waits for the first");
      letGo();
      await until(async () => (await recorded()).length === 1);
      assert.ok((fences[0] ?? 0) < (fences[1] ?? 0), String(fences));
      await jobs.stop();
      assert.deepEqual(await recorded(), ["run-2-changed"]);
    });

    test("a job that is removed during its run writes nothing", async () => {
      const jobs = node();
      const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
      let runs = 0;
      jobs.start([
        handler(async (job) => {
          runs += 1;
          await hold;
          return { dueAtMs: 5, commit: record(job.key) };
        }),
      ]);
      await put(jobs, "removed");
      await until(async () => runs === 1);
      await metadata.write((tx) => jobs.remove(tx, "count", "removed"));
      letGo();
      await jobs.stop();
      assert.deepEqual([await recorded(), await left()], [[], []]);
    });

    test("a stop aborts runs and releases their jobs at once", async () => {
      const first = node({ leaseMs: 3_600_000 });
      first.start([handler((job) => delay(3_600_000, DONE, { signal: job.signal }))]);
      await put(first, "cut");
      await until(async () => (await left())[0]?.owner !== null);
      await first.stop();
      assert.equal((await left())[0]?.attempts, 0);
      const second = node();
      second.start([handler(async (job) => ({ ...DONE, commit: record(job.key) }))]);
      await until(async () => (await recorded()).length === 1);
    });

    test("one group takes at most its share of the places", async () => {
      const jobs = node();
      const running = new Map<string, number>();
      let most = 0;
      const run = async (job: Job): Promise<JobOutcome> => {
        const now = (running.get(job.group) ?? 0) + 1;
        running.set(job.group, now);
        if (job.group === "greedy") most = Math.max(most, now);
        await delay(job.group === "greedy" ? 50 : 1);
        running.set(job.group, (running.get(job.group) ?? 0) - 1);
        return { ...DONE, commit: record(job.key) };
      };
      for (let i = 0; i < 8; i++) await put(jobs, `greedy-${i}`, 0, "greedy");
      for (let i = 0; i < 3; i++) await put(jobs, `modest-${i}`, 1, "modest");
      jobs.start([handler(run, { concurrency: 3, concurrencyPerGroup: 2 })]);
      await until(async () => (await recorded()).filter((key) => key.startsWith("modest")).length === 3);
      assert.ok((await left()).length > 0, "the busy group is not done yet");
      await until(async () => (await left()).length === 0);
      assert.equal(most, 2);
    });
  });
}

function handler(run: JobHandler["run"], options: Partial<JobHandler> = {}): JobHandler {
  return { kind: "count", concurrency: 4, concurrencyPerGroup: 4, run, retryMs: () => 10, ...options };
}

function movable(startMs: number): Clock & { advance(ms: number): void } {
  let nowMs = startMs;
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) };
}

async function until(condition: () => Promise<boolean>, deadlineMs = 60_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `the condition did not come true within ${deadlineMs} ms`);
    await delay(5);
  }
}
