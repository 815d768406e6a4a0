/**
 * The end of a project's time in the trash, by a server that is killed again and again, around commits of this work:
 * everything in the project is gone afterwards, telemetry included, every count is right, and nothing of another project
 * is touched.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { DATABASES, type DatabaseKind } from "../fixtures/databases.ts";
import { uploaded } from "../fixtures/files.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { repositoryOf } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { startServer, writeLog, type Bootstrap, type Server } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { newWebhook, post } from "../fixtures/webhooks.ts";

const SETTINGS = { object_grace_ms: 5000, object_collect_ms: 200, compaction_interval_ms: 500 };
const KILLS_MIN = 10;
const KILLS_MAX = 60;
/** A server that is not killed for so long has done the work. */
const IDLE_MS = 15_000;
const ROWS = 300;
const WATCH = new URL("../fixtures/kill-at-step.ts", import.meta.url).href;
/** The changes of a project's end. */
const CHANGES =
  " (webhook|webhook_(body|event|url|destination)|s3_(object|history)|registry_(manifest|reference|tag|blob|contents)|" +
  "file|trashed_file|upload_grant|trash_item|credential|telemetry_erasure|app|project)$";
/** Kills must be at changes of these kinds. */
const KINDS = [/ credential$/, / trash_item$/, / registry_/, / file$/];

interface Project {
  readonly id: string;
  readonly slug: string;
}

/** Fills a project with something of every kind. */
async function fill(server: Server, home: Bootstrap, token: string, { id: project, slug }: Project): Promise<void> {
  const app = await server.call("POST", "/v1/apps", { token, json: { project, slug: `${slug}-app` } });
  assert.equal(app.status, 201, app.text);
  const images = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${slug}-app`);
  for (let n = 0; n < 5; n++) await images.image([randomBytes(40_000)], { tag: `v${n}` });
  assert.equal((await images.call("DELETE", "manifests/v0")).status, 202);
  const s3 = sdkClient(await s3EndpointOf(server, home));
  for (let n = 0; n < 40; n++)
    await s3.send(
      new PutObjectCommand({ Bucket: `${slug}-app`, Key: `k/${n}`, Body: randomBytes(n % 8 === 0 ? 40_000 : 10) }),
    );
  for (const trashed of [false, true]) {
    const { id, url } = await newWebhook(server, token, { project });
    for (let n = 0; n < 20; n++) assert.equal((await post(url, JSON.stringify({ n }))).status, 202);
    if (trashed) assert.equal((await server.call("DELETE", `/v1/webhooks/${id}`, { token })).status, 204);
  }
  for (let n = 0; n < 20; n++) {
    const file = await uploaded(server, token, { project }, n % 4 === 0 ? "x".repeat(40_000) : "small");
    if (n % 2 === 0) await server.call("DELETE", `/v1/files/${file.id}`, { token });
  }
  const json = { name: `of ${slug}`, project, scopes: ["telemetry:write"] };
  const made = await server.call<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
    token,
    json,
  });
  const entries = Array.from({ length: ROWS }, (_, n) => logEntry(`${slug} ${n}`, { service: "shop" }));
  await ingested(server, await server.token(made.body), "logs", entries);
}

/** Returns what the quotas count. */
async function usage(server: Server, token: string): Promise<Record<string, unknown>> {
  const { body } = await server.call<{ services: Record<string, Record<string, number>> }>("GET", "/v1/usage", {
    token,
  });
  const names = ["files", "images", "buckets", "webhooks"];
  return Object.fromEntries(names.map((name) => [name, body.services[name] ?? assert.fail(`no usage of ${name}`)]));
}

/** Asserts that every reference to content is right, and that the audit log is whole. */
async function sound({ dataDir, environment }: Server): Promise<void> {
  await eventually("scrub to find nothing", async () => {
    const { code } = await mooring(["scrub", "--data-dir", dataDir], { environment });
    return code === 0 ? true : null;
  });
  const audit = await mooring(["audit", "verify", "--data-dir", dataDir], { environment });
  assert.equal(audit.code, 0, audit.stderr);
}

/** Whether the kills were at enough moments, and at each kind of change. */
function isEnough(moments: readonly string[]): boolean {
  return moments.length >= KILLS_MIN && KINDS.every((each) => moments.some((moment) => each.test(moment)));
}

/**
 * Starts the server again and again, and kills it in turn before its first change and after it, until these were enough
 * moments. Returns the names of the moments.
 */
async function killed(dataDir: string, kind: DatabaseKind): Promise<string[]> {
  const order = join(dataDir, "..", `${dataDir.split("-").at(-1)}.kill`);
  const environment = { NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_STEP: order, KILL_AT_CHANGE: CHANGES };
  const moments: string[] = [];
  try {
    for (let n = 0; n < KILLS_MAX && !isEnough(moments); n++) {
      writeFileSync(order, String(1 + (n % 2)));
      // It may be killed before it is ready.
      const server = await startServer({ dataDir, database: kind, settings: SETTINGS, environment }).catch(() => null);
      const isIdle = delay(IDLE_MS, undefined, { ref: false });
      await Promise.race([server?.exited, isIdle]);
      await server?.dispose();
      if (!existsSync(`${order}.at`)) break;
      moments.push(readFileSync(`${order}.at`, "utf8"));
      rmSync(`${order}.at`);
    }
  } finally {
    rmSync(order, { force: true });
  }
  return moments;
}

/** Waits until the project has ended, and checks the counts of its only entry. */
async function endedOnce(server: Server, token: string, { id }: Project): Promise<void> {
  const path = `/v1/audit?target=${id}&action=project.end`;
  const ends = async (): Promise<Record<string, unknown>[]> =>
    (await server.call<{ items: { detail: Record<string, unknown> }[] }>("GET", path, { token })).body.items.map(
      ({ detail }) => detail,
    );
  await eventually("the project to end", async () => ((await ends()).length > 0 ? true : null), 120_000);
  const entries = await ends();
  assert.equal(entries.length, 1, "it ends once");
  const { apps, telemetry_rows: erased, credentials } = entries[0] ?? {};
  assert.deepEqual([apps, erased, credentials], [1, ROWS, 1], JSON.stringify(entries));
}

/** Checks that the server counts what it counted before, and that only this project has telemetry. */
async function onlyHas(server: Server, token: string, { id }: Project, before: object): Promise<void> {
  await eventually("the counts to be those from before", async () => {
    const now = await usage(server, token);
    return JSON.stringify(now) === JSON.stringify(before) ? true : null;
  }).catch(async () => assert.deepEqual(await usage(server, token), before));
  const counted = await rows<{ project_id: string; n: number }>(
    server,
    token,
    "select project_id, count(*) as n from logs where service = 'shop' group by project_id",
  );
  assert.deepEqual(
    counted.map(({ project_id: project, n }) => [project, Number(n)]),
    [[id, ROWS]],
  );
}

for (const { kind, skip } of DATABASES) {
  test(`a project ends once, however often the server is killed, records in ${kind}`, { skip }, async (context) => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-trash-kill-"));
    let server = await startServer({ dataDir, database: kind, settings: SETTINGS });
    try {
      const home = await server.bootstrap();
      let token = await server.token(home.credential);
      const slugs = ["kept", "ended"];
      const [kept, ended] = (await Promise.all(
        slugs.map(async (slug) => (await server.call("POST", "/v1/projects", { token, json: { slug } })).body),
      )) as unknown as [Project, Project];
      await fill(server, home, token, kept);
      const before = await usage(server, token);
      await fill(server, home, token, ended);
      assert.equal((await server.call("DELETE", `/v1/projects/${ended.id}`, { token })).status, 204);
      const { items } = (
        await server.call<{ items: { id: string; object_id: string }[] }>("GET", "/v1/trash", { token })
      ).body;
      const item = items.find(({ object_id: id }) => id === ended.id)?.id ?? "";
      assert.equal((await server.call("DELETE", `/v1/trash/${item}`, { token })).status, 204);
      await server.kill();
      const moments = await killed(dataDir, kind);
      context.diagnostic(`${moments.length} kills: ${moments.join(", ")}`);
      assert.ok(moments.length >= KILLS_MIN, `${moments.length} kills`);
      for (const each of KINDS)
        assert.ok(
          moments.some((moment) => each.test(moment)),
          `no kill at ${each.source}: ${moments.join(", ")}`,
        );
      server = await startServer({ dataDir, database: kind, settings: SETTINGS });
      token = await server.token(home.credential);
      await endedOnce(server, token, ended);
      await onlyHas(server, token, kept, before);
      const free = await server.call("POST", "/v1/projects", { token, json: { slug: "ended" } });
      assert.equal(free.status, 201, free.text);
      await sound(server);
    } catch (error) {
      writeLog(server);
      throw error;
    } finally {
      await server.dispose();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}
