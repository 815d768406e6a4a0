/** An idle server leaves the processor alone. Its periodic work is listed. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";
import { sleepsOf, sleptBetween } from "../fixtures/wake-ups.ts";

const LOOK_S = 60;
const WAKE_UPS_PER_SECOND_MAX = 100;

const ON_EACH_NODE = [
  "access changes",
  "key ring",
  "signing keys",
  "refusals",
  "refused requests",
  "credential use",
  "ingest rules",
  "refused entries",
  "activity",
  "image pulls",
  "webhook requests",
  "webhook deliveries",
  "running queries",
  "clock",
  "queue",
  "queue leases",
  "store probes",
  "problems",
  "query plans",
  "spool",
  "telemetry presence",
  "telemetry limits",
  "telemetry files",
  "telemetry merges",
  "telemetry retention",
  "telemetry erasures",
  "organization totals",
  "content",
  "reads under way",
  "uploads and trash",
  "images",
];
const ON_ONE_NODE = [
  "alerts",
  "bucket lifecycle",
  "trash",
  "old S3 records",
  "audit log retention",
  "old refused requests",
  "usage",
  "old webhook events",
];
const SOON_MS = 10_000;
const PASSWORD = "correct horse battery";

interface Work {
  readonly name: string;
  readonly does: string;
  readonly on: "each_node" | "one_node";
  readonly every_ms: number | null;
  readonly next_at: string | null;
  readonly last: { readonly failure: string | null } | null;
}

const shared = useServer({ database: "sqlite" });

test(`all threads of the main process wake up less than ${WAKE_UPS_PER_SECOND_MAX} times a second when idle`, async (t) => {
  const { pid } = shared.server;
  const before = sleepsOf(pid);
  if (before === undefined) return t.skip("this system does not report the wake-ups of a process");
  await delay(LOOK_S * 1000); // The measurement takes a fixed time, so there is no condition to wait for.
  const slept = sleptBetween(before, sleepsOf(pid) ?? assert.fail("the server has ended"));
  assert.ok(slept.length > 1, "a server has several threads");
  const perSecond = slept.reduce((sum, { count }) => sum + count, 0) / LOOK_S;
  for (const { thread, count } of slept.slice(0, 4)) t.diagnostic(`${thread}: ${(count / LOOK_S).toFixed(1)} a second`);
  t.diagnostic(`all: ${perSecond.toFixed(1)} a second`);
  assert.ok(perSecond > 0, "nothing was counted");
  assert.ok(perSecond < WAKE_UPS_PER_SECOND_MAX, `${perSecond.toFixed(1)} a second`);
});

/** Signs in the owner, who is the operator. Returns the session's cookie. */
async function operator(): Promise<string> {
  const { server, home } = shared;
  const [, token = ""] = String(home.owner.setup_url).split("#");
  const json = { token, name: "Ada", password: PASSWORD };
  const { headers, text } = await server.call("POST", "/api/setup", { headers: { origin: server.origin }, json });
  const line = headers.getSetCookie().find((each) => each.startsWith("__Host-mooring=")) ?? assert.fail(text);
  return line.split(";")[0] ?? "";
}

test("the operator sees all periodic work, its last result, and its next run", async () => {
  const cookie = await operator();
  const list = async (): Promise<readonly Work[]> =>
    (await shared.server.call<{ periodic: Work[] }>("GET", "/api/instance/jobs", { headers: { cookie } })).body
      .periodic;
  const works = await list();
  const names = (on: Work["on"]): string[] => works.filter((work) => work.on === on).map(({ name }) => name);
  assert.deepEqual([names("each_node"), names("one_node")], [ON_EACH_NODE, ON_ONE_NODE]);
  for (const { name, does } of works) assert.match(does, /^[A-Z].{20,}\.$/, name);
  const isDue = ({ every_ms: everyMs, on, next_at: next }: Work): boolean =>
    on === "each_node" && next !== null && everyMs !== null && everyMs <= SOON_MS;
  const due = works.filter(isDue).map(({ name }) => name);
  assert.ok(due.includes("access changes") && due.includes("queue"), String(due));
  const ran = await eventually("the work that is due soon to have run", async () => {
    const now = (await list()).filter(({ name }) => due.includes(name) || name.startsWith("old "));
    return now.every(({ last }) => last !== null) ? now : null;
  });
  assert.deepEqual(
    ran.filter(({ last }) => last?.failure !== null).map(({ name }) => name),
    [],
  );
});
