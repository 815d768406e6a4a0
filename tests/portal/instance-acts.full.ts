/** The operator's actions on waiting work: a clock in doubt, periodic work, a parked job. `/metrics` shows them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import type { Json } from "../fixtures/server.ts";
import { axe, NO_CHROMIUM, PASSWORD, usePortal } from "./browser.ts";
import { stepClock, steppedClock } from "../fixtures/stepped-clock.ts";

/** More than a clock may be ahead of the time that has passed. */
const STEP_MS = 2 * 3_600_000;

const portal = usePortal({
  settings: { metrics_listen: "127.0.0.1:0" },
  environment: steppedClock(STEP_MS),
  database: "sqlite",
});

/** Returns a figure of `/metrics`, as a monitoring system reads it. */
async function metric(name: string): Promise<number | undefined> {
  const address = /^\s*metrics\s+(http:\S+)$/m.exec(portal.shared.server.stdout())?.[1] ?? assert.fail("no metrics");
  const text = await (await fetch(address)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

async function becomes(name: string, wanted: number): Promise<void> {
  await eventually(`${name} to be ${wanted}`, async () => ((await metric(name)) === wanted ? true : null));
}

/** Creates a parked job, as the server leaves one that ended its node several times in a row. */
async function parkedAlert(): Promise<string> {
  const { server, token } = portal.shared;
  const make = async (path: string, json: object): Promise<Json> => {
    const answer = await server.call("POST", path, { token, json });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const query = await make("/v1/query/saved", { name: "entries", sql: "SELECT count(*) AS n FROM logs" });
  const condition = { operator: ">", threshold: 9999 };
  const about = { name: "entries", query_id: query["id"], url: "https://example.org/alert", every_s: 3600, condition };
  const id = String((await make("/v1/alerts", about))["id"]);
  await eventually("the first evaluation", async () => (await alertOf(id))["evaluated_at"]);
  const records = new DatabaseSync(join(server.dataDir, "mooring.db"), { timeout: 10_000 });
  records.exec("PRAGMA busy_timeout = 10000");
  const { changes } = records
    .prepare(
      "UPDATE job SET parked_at = ?, claims = 5, owner = NULL, last_error = 'parked: 5 runs in a row did not end' WHERE kind LIKE 'alert%'",
    )
    .run(Date.now());
  records.close();
  assert.equal(Number(changes), 1, "the evaluation of the alert");
  return id;
}

async function alertOf(id: string): Promise<Json> {
  const { server, token } = portal.shared;
  return (await server.call("GET", `/v1/alerts/${id}`, { token })).body;
}

test("periodic work runs on request", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=jobs&paused=true");
  const row = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Run now: content" }) });
  const run = page.waitForResponse((response) => response.url().endsWith("/api/instance/jobs/content/run"));
  await row.getByRole("button", { name: "Run now: content" }).click();
  assert.equal((await run).status(), 204);
  await page.getByText("It runs now.").waitFor();
  await tab.go("/instance?tab=jobs");
  await row.getByText("well").waitFor();
  assert.deepEqual([...(await axe(page)), ...tab.faults], []);
  await tab.close();
});

test("a parked job is shown, and runs again when the operator resumes it", { skip: NO_CHROMIUM }, async () => {
  const id = await parkedAlert();
  const before = (await alertOf(id))["evaluated_at"];
  await becomes("mooring_jobs_parked", 1);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=jobs");
  await page.getByText("1 parked").waitFor();
  assert.deepEqual(await axe(page), []);
  await page
    .getByRole("row")
    .filter({ hasText: "1 parked" })
    .getByRole("button", { name: /^Run now/ })
    .click();
  await page.getByText("It runs now.").waitFor();
  await becomes("mooring_jobs_parked", 0);
  await eventually("the alert to be evaluated again", async () =>
    (await alertOf(id))["evaluated_at"] === before ? null : true,
  );
  await page.getByText("1 parked").waitFor({ state: "detached" });
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

/** Last, because it moves the server's clock forward. */
test("a clock in doubt holds deletions until it is accepted", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance");
  assert.equal(await page.getByRole("button", { name: "Accept the clock" }).count(), 0);
  assert.equal(await metric("mooring_deletions_held"), 0);
  stepClock(portal.shared.server);
  await becomes("mooring_deletions_held", 1);
  assert.ok(Number(await metric("mooring_clock_offset_seconds")) > 7000);
  const accept = page.getByRole("button", { name: "Accept the clock" });
  await accept.waitFor();
  assert.deepEqual(await axe(page), []);
  await accept.click();
  const confirm = page.getByRole("dialog", { name: "Confirm that it is you" });
  await confirm.or(page.getByText("The clock is accepted.")).waitFor();
  if (await confirm.isVisible()) {
    await confirm.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await confirm.getByRole("button", { name: "Confirm" }).click();
  }
  await page.getByText("The clock is accepted. Deletions resume.").waitFor();
  await becomes("mooring_deletions_held", 0);
  await accept.waitFor({ state: "detached" });
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
