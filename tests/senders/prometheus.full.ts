/**
 * Prometheus' remote write, with the configurations that the portal shows: Debian's Prometheus sends its own metrics, so does
 * Prometheus 3 with version 2.0 if a program is given, and client_golang sends version 2.0.
 */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { missingPrometheus, startPrometheus, type Prometheus } from "../fixtures/prometheus.ts";
import { configurationOf } from "./agents.ts";
import { startProgram, type LineProgram } from "./line-program.ts";
import { sendOverKill } from "./over-kill.ts";
import { assertNow, useSenders } from "./place.ts";

const place = useSenders();
const REMOTE_WRITE = process.env["MOORING_TEST_REMOTE_WRITE"] ?? "";
const PROMETHEUS_3 = process.env["MOORING_TEST_PROMETHEUS_3"] ?? "";

/** The agents of the table that are a Prometheus, with their programs. */
const PROGRAMS = [
  { id: "prometheus", program: "prometheus", skip: missingPrometheus() },
  {
    id: "prometheus-2",
    program: PROMETHEUS_3,
    skip: existsSync(PROMETHEUS_3)
      ? false
      : "PROMETHEUS 3 IS NOT TESTED: MOORING_TEST_PROMETHEUS_3 names no program; Go builds github.com/prometheus/prometheus/cmd/prometheus",
  },
];

/** The table's configuration, with a target of that name and short intervals. */
function configurationFor(id: string, port: number): string {
  return `
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: ${id}
    static_configs: [{ targets: ["127.0.0.1:${port}"] }]
${configurationOf(id, place, "none").trimEnd()}
    queue_config: { batch_send_deadline: 500ms, max_backoff: 500ms }
    metadata_config: { send_interval: 1s }
`;
}

/** Times of samples, in seconds with three decimals, as Prometheus has them. */
async function timesOfUp(prometheus: Prometheus, id: string): Promise<string[]> {
  const { result } = await prometheus.get<{ result: { values: [number, string][] }[] }>("query", {
    query: `up{job="${id}"}[10m]`,
  });
  return (result[0]?.values ?? []).map(([seconds]) => seconds.toFixed(3));
}

async function storedUp(id: string): Promise<string[]> {
  const found = await place.sql(
    `select epoch_ms(timestamp) as ms from metrics where name = 'up' and tags->>'job' = '${id}' order by timestamp`,
  );
  return found.map(({ ms }) => (Number(ms) / 1000).toFixed(3));
}

for (const { id, program, skip } of PROGRAMS)
  test(`the samples of ${id} are found by SQL, and none is lost or doubled over a kill`, { skip }, async () => {
    const port = await freePort();
    const file = join(place.directory, `${id}.yaml`);
    writeFileSync(file, configurationFor(id, port));
    const prometheus = await startPrometheus(file, place.directory, port, program);
    const ofJob = `tags->>'job' = '${id}'`;
    try {
      const [info] = await place.find(
        `select timestamp, value, tags from metrics where name = 'prometheus_build_info' and ${ofJob} order by timestamp`,
        3,
      );
      const { job, instance, goversion } = (info?.["tags"] ?? {}) as Partial<Record<string, string>>;
      assert.deepEqual([info?.["value"], job, instance], [1, id, `127.0.0.1:${port}`]);
      assert.match(goversion ?? "", /^go\d+\.\d+/);
      const [bucket] = await place.find(
        `select timestamp, tags from metrics where name like '%\\_bucket' escape '\\' and ${ofJob} limit 1`,
        1,
      );
      assert.ok((bucket?.["tags"] as Record<string, string> | undefined)?.["le"] !== undefined);
      assertNow([info ?? {}, bucket ?? {}]);
      await place.restart();
      const before = (await timesOfUp(prometheus, id)).at(-1) ?? "";
      await eventually("samples after the kill", async () => ((await storedUp(id)).at(-1) ?? "") > before || null);
      const sent = await timesOfUp(prometheus, id);
      const stored = await eventually("all samples of the time before", async () => {
        const times = await storedUp(id);
        return sent.every((time) => times.includes(time)) ? times : null;
      });
      assert.equal(new Set(stored).size, stored.length, `doubled: ${stored.join()}`);
    } finally {
      await prometheus.stop();
    }
  });

const missingRemoteWrite = existsSync(REMOTE_WRITE)
  ? false
  : "REMOTE WRITE 2.0 IS NOT TESTED: MOORING_TEST_REMOTE_WRITE names no program";

/** Sends this many samples and a histogram for each name that it gets. */
function startPusher(count: number): LineProgram {
  return startProgram([REMOTE_WRITE, `${place.origin}/prometheus`, place.key, String(count)], {});
}

test("client_golang's sender of 2.0 gets its counts", { skip: missingRemoteWrite }, async () => {
  const pusher = startPusher(2500);
  assert.equal(await pusher.send("pushed"), "samples=2500 histograms=1 exemplars=0");
  await pusher.end();
  const [row] = await place.sql(
    "select count(*) as n, max(value) as last, max(timestamp) as timestamp, any_value(tags) as tags from metrics where name = 'pushed'",
  );
  assert.deepEqual([Number(row?.["n"]), row?.["last"], row?.["tags"]], [2500, 2499, { service: "pusher" }]);
  assertNow([row ?? {}]);
  const buckets = await place.sql(
    "select value, tags->>'le' as le from metrics where name = 'pushed_native_bucket' order by value, le desc",
  );
  assert.deepEqual(buckets, [
    { value: 1, le: "1" },
    { value: 3, le: "2" },
    { value: 3, le: "+Inf" },
  ]);
});

test("client_golang's sender of 2.0 over a kill", { skip: missingRemoteWrite }, async () => {
  const rows = 10;
  const values = { "max(value)": rows - 1, tags: { service: "pusher" } };
  const pusher = startPusher(rows);
  const from = ["(select * from metrics where not contains(name, '_native'))", "name"] as const;
  await sendOverKill(place, [{ ...pusher, name: "pusher", keeps: "confirmed", values, rows, from }]);
});
