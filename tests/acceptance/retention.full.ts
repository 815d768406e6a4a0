/** Retention, quotas and erasure, as an operator and an organization use them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually, mooring } from "../fixtures/process.ts";
import { startServer, useServer, type Json } from "../fixtures/server.ts";
import { ingest, ingested, logEntry, rows } from "../fixtures/telemetry.ts";

const DAY_MS = 86_400_000;

const shared = useServer({
  settings: {
    compaction_interval_ms: 200,
    retention_check_ms: 200,
    retention_days_max: 365,
    retention_grace_hours: 0,
    retention_delete_hours: 0,
    rate_limit_burst: 10_000,
  },
});

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

function parquetFiles(): string[] {
  const root = join(shared.server.dataDir, "telemetry", "parquet");
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const bytesOnDisk = (): number => parquetFiles().reduce((sum, path) => sum + statSync(path).size, 0);

/** Creates an organization. Returns a token with every scope. */
async function organization(org: string): Promise<string> {
  const made = await shared.server.bootstrap({ org, project: "web", app: `${org}-app` });
  return shared.server.token(made.credential);
}

interface Usage {
  readonly types: Readonly<
    Record<string, { rows: number; files: number; pending_bytes: number; parquet_bytes: number }>
  >;
  readonly stored_bytes: number;
  readonly quota: Readonly<Record<string, number | null>>;
}

async function usage(token: string): Promise<Usage> {
  return (await shared.server.call<Usage>("GET", "/v1/telemetry/usage", { token })).body;
}

async function retention(token: string, days: object): Promise<void> {
  const answer = await shared.server.call("PATCH", "/v1/telemetry/settings", { token, json: { retention_days: days } });
  assert.equal(answer.status, 200, answer.text);
}

test("rows past their retention are hidden at once, and their files are deleted soon", async () => {
  const token = await organization("keeps");
  const { server } = shared;
  for (const days of [1, 5, 20, 100]) {
    const entries = Array.from({ length: 500 }, (_, i) => logEntry(`${days} days, ${i}`, { timestamp: daysAgo(days) }));
    await ingested(server, token, "logs", entries);
  }
  await eventually("all is in Parquet", async () => {
    const { types } = await usage(token);
    return types["logs"]?.pending_bytes === 0 && types["logs"].rows === 2000 ? true : null;
  });
  const before = { disk: bytesOnDisk(), usage: await usage(token) };
  await retention(token, { logs: 10 });
  const [shown] = await rows<{ n: number }>(server, token, "SELECT count(*)::INTEGER AS n FROM logs");
  assert.equal(shown?.n, 1000, "queries leave out rows past their retention before their files are deleted");
  await eventually("the files are dropped", async () =>
    (await usage(token)).types["logs"]?.rows === 1000 ? true : null,
  );
  const late = logEntry("too late", { timestamp: daysAgo(11) });
  const refused = await ingest(server, token, "logs", [logEntry("in time", { timestamp: daysAgo(9) }), late]);
  assert.equal(refused.status, 400);
  assert.equal(
    (refused.body as unknown as Json & { errors: { pointer: string }[] }).errors[0]?.pointer,
    "/entries/1/timestamp",
  );
  const after = await usage(token);
  const freed = before.usage.stored_bytes - after.stored_bytes;
  assert.ok(freed > 0);
  await eventually("the disk is freed", () => Promise.resolve(bytesOnDisk() === before.disk - freed ? true : null));
});

describe("quotas", () => {
  test("an operator limits one organization beside a running server, and removes the limit again", async () => {
    const token = await organization("limited");
    const { server } = shared;
    const quota = (...words: string[]) =>
      mooring(["quota", ...words, "--data-dir", server.dataDir], { environment: server.environment });
    await ingested(server, token, "logs", [logEntry("before")]);
    const set = await quota("limited", "--stored", "1", "--json");
    assert.equal(set.code, 0, set.stderr);
    const expected = {
      organization: "limited",
      stored_bytes_max: 1,
      ingest_bytes_per_second: null,
      ingest_bytes_burst: null,
      files_stored_bytes_max: null,
      images_stored_bytes_max: null,
    };
    assert.deepEqual(JSON.parse(set.stdout), [expected]);
    const refused = await eventually("the limit is in force", async () => {
      const answer = await ingest(server, token, "logs", [logEntry("after")]);
      return answer.status === 202 ? null : answer;
    });
    assert.equal(refused.status, 429);
    assert.equal((refused.body as unknown as Json)["code"], "quota_exceeded");
    assert.equal(refused.headers.get("retry-after"), "300");
    const otlp = await fetch(`${server.origin}/otlp/v1/logs`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs: [] }),
    });
    assert.deepEqual([otlp.status, otlp.headers.get("retry-after")], [429, "300"]);
    assert.match(
      ((await otlp.json()) as { message: string }).message,
      /telemetry takes \d+ bytes, and its quota is 1 bytes/,
    );
    const { quota: told } = await usage(token);
    assert.deepEqual([told["stored_bytes_max"], told["stored_bytes_left"]], [1, 0]);
    await ingested(server, shared.token, "logs", [logEntry("others are not touched")]);
    await eventually("all is in Parquet", async () => {
      const logs = (await usage(token)).types["logs"];
      return logs !== undefined && logs.files > 0 && logs.pending_bytes === 0 ? true : null;
    });
    const words = [
      "doctor",
      "--data-dir",
      server.dataDir,
      "--listen",
      "127.0.0.1:0",
      "--metrics-listen",
      "off",
      "--otlp-grpc-listen",
      "off",
    ];
    const { stdout: found } = await mooring(words, { environment: server.environment });
    assert.match(found, /^warn +retention +limited has .* of telemetry that its quota allows/m);
    assert.match((await quota()).stdout, /^limited +1( +default){4}$/m);
    assert.equal((await quota("limited", "--stored", "default")).code, 0);
    await eventually("it is lifted", async () => {
      const answer = await ingest(server, token, "logs", [logEntry("again")]);
      return answer.status === 202 ? true : null;
    });
  });

  test("a rate limit answers with Retry-After, and a sender that waits gets everything in", async () => {
    const token = await organization("paced");
    const { server } = shared;
    const words = ["quota", "paced", "--rate", "20KiB", "--burst", "20KiB", "--data-dir", server.dataDir];
    assert.equal((await mooring(words, { environment: server.environment })).code, 0);
    await eventually("the limit is in force", async () =>
      (await usage(token)).quota["ingest_bytes_per_second"] === 20_480 ? true : null,
    );
    const entries = Array.from({ length: 100 }, (_, i) => logEntry(`${i} ${"x".repeat(150)}`));
    const startedMs = performance.now();
    let refusals = 0;
    for (let sent = 0; sent < 5;) {
      const answer = await ingest(server, token, "logs", entries);
      if (answer.status === 202) {
        sent += 1;
        continue;
      }
      assert.equal(answer.status, 429, answer.text);
      refusals += 1;
      assert.match(answer.headers.get("ratelimit-policy") ?? "", /"ingest-bytes";q=20480;w=1/);
      assert.match(answer.headers.get("ratelimit") ?? "", /"ingest-bytes";r=0;t=[1-9]/);
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get("retry-after"))));
    }
    const { types } = await usage(token);
    const [bytes] = [(types["logs"]?.pending_bytes ?? 0) + (types["logs"]?.parquet_bytes ?? 0)];
    assert.ok(refusals > 0 && bytes > 0);
    assert.equal((await rows<{ n: number }>(server, token, "SELECT count(*)::INTEGER AS n FROM logs"))[0]?.n, 500);
    assert.ok(performance.now() - startedMs > 2500, "105 kB at 20 kB a second take longer than the burst");
  });

  test("an invalid size and an unknown organization are errors", async () => {
    const { dataDir, environment } = shared.server;
    for (const [words, code] of [
      [["limited", "--stored", "much"], 2],
      [["limited", "--rate", "0"], 2],
      [["--stored", "1"], 2],
      [["nobody", "--stored", "1"], 1],
    ] as const) {
      const outcome = await mooring(["quota", ...words, "--data-dir", dataDir], { environment });
      assert.equal(outcome.code, code, outcome.stderr);
    }
  });
});

const SECRET = "mallory@example.org";

test("an erasure leaves no matching row on the disk, and the audit log and the records don't name it", async () => {
  const token = await organization("erases");
  const { server } = shared;
  const entries = Array.from({ length: 300 }, (_, i) =>
    logEntry(`order ${i}`, { service: "shop", attributes: { user: i % 3 === 0 ? SECRET : `user${i}`, i } }),
  );
  await ingested(server, token, "logs", entries);
  const json = { types: ["logs"], match: { attributes: { user: SECRET } } };
  const headers = { "idempotency-key": "erase-once" };
  const asked = await server.call<Json>("POST", "/v1/telemetry/erasures", { token, json, headers });
  assert.equal(asked.status, 202, asked.text);
  const again = await server.call<Json>("POST", "/v1/telemetry/erasures", { token, json, headers });
  assert.equal(again.body["id"], asked.body["id"]);
  const path = `/v1/telemetry/erasures/${String(asked.body["id"])}`;
  const done = await eventually("the erasure is done", async () => {
    const { body } = await server.call<Json>("GET", path, { token });
    return body["state"] === "done" ? body : null;
  });
  assert.deepEqual([done["rows_erased"], done["quarantined"]], [100, []]);
  const left = await rows<{ n: number; m: number }>(
    server,
    token,
    "SELECT count(*)::INTEGER AS n, (count(*) FILTER (attributes->>'user' = $user))::INTEGER AS m FROM logs",
    { parameters: { user: SECRET } },
  );
  assert.deepEqual(left, [{ n: 200, m: 0 }]);
  const telemetry = join(server.dataDir, "telemetry");
  for (const entry of readdirSync(telemetry, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    assert.ok(!readFileSync(join(entry.parentPath, entry.name)).includes(SECRET), `${entry.name} still has it`);
  }
  const audit = await server.call("GET", "/v1/audit?action=telemetry.erasure.create", { token });
  assert.match(audit.text, /match_digest/);
  for (const { text } of [audit, await server.call("GET", path, { token })]) assert.ok(!text.includes(SECRET));
  assert.ok(!server.stderr().includes(SECRET) && !server.stdout().includes(SECRET));
});

test("an erasure that a kill interrupted is done by the next start, and all other acknowledged rows exist", async () => {
  const { server } = shared;
  const made = await server.bootstrap({ org: "killed", project: "web", app: "killed-app" });
  const token = await server.token(made.credential);
  for (let day = 0; day < 6; day++) {
    const timestamp = daysAgo(day);
    const entries = Array.from({ length: 400 }, (_, i) =>
      logEntry(`${day}/${i}`, { timestamp, attributes: { user: i % 2 === 0 ? SECRET : "other" } }),
    );
    await ingested(server, token, "logs", entries);
  }
  const json = { types: ["logs", "traces"], match: { attributes: { user: SECRET } } };
  const asked = await server.call<Json>("POST", "/v1/telemetry/erasures", { token, json });
  await eventually("the erasure is running", async () => {
    const { body } = await server.call<Json>("GET", `/v1/telemetry/erasures/${String(asked.body["id"])}`, { token });
    return body["state"] === "pending" ? null : true;
  });
  await server.kill();
  const settings = { compaction_interval_ms: 200, retention_check_ms: 200 };
  const next = await startServer({ dataDir: server.dataDir, environment: server.environment, settings });
  try {
    const token = await next.token(made.credential);
    const done = await eventually("the erasure is done", async () => {
      const path = `/v1/telemetry/erasures/${String(asked.body["id"])}`;
      const { body } = await next.call<Json>("GET", path, { token });
      return body["state"] === "done" ? body : null;
    });
    assert.equal(done["rows_erased"], 1200);
    const left = await rows<{ n: number; m: number }>(
      next,
      token,
      "SELECT count(*)::INTEGER AS n, count(DISTINCT message)::INTEGER AS m FROM logs WHERE attributes->>'user' = 'other'",
    );
    assert.deepEqual(left, [{ n: 1200, m: 1200 }]);
  } finally {
    await next.dispose();
  }
});
