/** The access log: every access to data has a row, in the modes and for the readers that the organization chose. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { downloadUrl, fetched, uploaded } from "../fixtures/files.ts";
import { refused } from "../fixtures/http.ts";
import { Person } from "../fixtures/person.ts";
import { eventually } from "../fixtures/process.ts";
import { repositoryOf } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { RELAXED, startServer, useServer, type Bootstrap, type Json, type Server } from "../fixtures/server.ts";
import { ingested, logEntry, query, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent } from "../fixtures/webhooks.ts";

interface Row {
  readonly [column: string]: unknown;
}

const shared = useServer({ settings: RELAXED });

async function setMode(server: Server, token: string, change: Json): Promise<void> {
  const answer = await server.call("PATCH", "/v1/access-log/settings", { token, json: change });
  assert.equal(answer.status, 200, answer.text);
}

async function rowsOf(server: Server, token: string, where = "true"): Promise<readonly Row[]> {
  return rows<Row>(server, token, `select * from access_log where ${where} order by seq`);
}

test("the log is off until the organization switches it on, and the change is audited", async () => {
  const { server, token } = shared;
  const file = await uploaded(server, token, { filename: "before.txt" });
  await fetched(await downloadUrl(server, token, file.id));
  assert.deepEqual(await rowsOf(server, token), []);
  const before = await server.call("GET", "/v1/access-log/settings", { token });
  const defaults = { mode: "off", sample_rate: 100, retention_days: null, effective_retention_days: 30 };
  assert.deepEqual(before.body, defaults);
  const stale = { token, json: { mode: "all" }, headers: { "if-match": '"x"' } };
  refused(await server.call("PATCH", "/v1/access-log/settings", stale), 409, "concurrent_update");
  await setMode(server, token, { mode: "all", retention_days: 7 });
  const after = await server.call("GET", "/v1/access-log/settings", { token });
  assert.deepEqual(after.body, { ...defaults, mode: "all", retention_days: 7, effective_retention_days: 7 });
  const audit = await rows<{ detail: string }>(
    server,
    token,
    "select detail::varchar as detail from audit_log where action = 'access_log.update'",
  );
  assert.match(audit[0]?.detail ?? "", /"mode": ?"off".*"mode": ?"all"/);
});

test("files: who uploaded, signed and downloaded what, how much, and from where", async () => {
  const { server, token, home } = shared;
  const file = await uploaded(server, token, { filename: "grüße 😀.txt", project: home.project.id }, "x".repeat(5000));
  const url = await downloadUrl(server, token, file.id);
  const got = await fetched(url, { "user-agent": "test/1", range: "bytes=0-99" });
  const { credential } = (await server.call<{ credential: Json }>("GET", "/v1/me", { token })).body;
  const found = await rowsOf(server, token, `target_id = '${file.id}'`);
  assert.deepEqual(
    found.map(({ action, outcome, bytes_in: bytesIn }) => [action, outcome, bytesIn]),
    [
      ["file.upload", "success", 5000],
      ["file.grant", "success", null],
      ["file.download", "success", null],
    ],
  );
  const download = found[2] ?? {};
  const { timestamp, seq, node, duration_ms: duration, grant_by: grantBy, ...others } = download;
  assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000);
  assert.ok(Number(seq) > 0 && Number(duration) >= 0);
  assert.match(String(node), /./);
  assert.equal(grantBy, found[1]?.["actor_id"]);
  assert.ok(credential === undefined || grantBy !== null);
  assert.deepEqual(others, {
    request_id: got.headers.get("request-id"),
    action: "file.download",
    surface: "files",
    method: "GET",
    status: 206,
    outcome: "success",
    actor_kind: "anonymous",
    actor_id: null,
    actor_name: null,
    session_id: null,
    project_id: home.project.id,
    target_kind: "file",
    target_id: file.id,
    target_name: "grüße 😀.txt",
    version: null,
    bytes_in: null,
    bytes_out: 100,
    rows: null,
    ip: "127.0.0.1",
    user_agent: "test/1",
    via: "presigned",
    tables: null,
    sample_rate: 1,
    detail: null,
  });
});

test("objects, images, statements, exports, audit entries, events and live logs", async () => {
  const { server, token, home } = shared;
  const endpoint = await s3EndpointOf(server, home);
  const s3 = sdkClient(endpoint);
  const at = { Bucket: endpoint.bucket, Key: "a/b.txt" };
  await s3.send(new PutObjectCommand({ ...at, Body: "0123456789" }));
  const got = await s3.send(new GetObjectCommand(at));
  assert.equal(await got.Body?.transformToString(), "0123456789");
  await s3.send(new HeadObjectCommand(at));
  await s3.send(new ListObjectsV2Command({ Bucket: endpoint.bucket }));
  await assert.rejects(s3.send(new GetObjectCommand({ ...at, Key: "absent" })));
  await s3.send(new DeleteObjectCommand(at));
  s3.destroy();
  const objects = await rowsOf(server, token, "surface = 's3'");
  assert.deepEqual(
    objects.map(({ action, outcome, target_name: name, bytes_out: out }) => [action, outcome, name, Number(out) > 0]),
    [
      ["object.put", "success", `${endpoint.bucket}/a/b.txt`, false],
      ["object.get", "success", `${endpoint.bucket}/a/b.txt`, true],
      ["object.head", "success", `${endpoint.bucket}/a/b.txt`, false],
      ["object.list", "success", endpoint.bucket, true],
      ["object.get", "refused", `${endpoint.bucket}/absent`, true],
      ["object.delete", "success", `${endpoint.bucket}/a/b.txt`, false],
    ],
  );
  assert.equal(objects[1]?.["bytes_out"], 10);
  assert.ok(objects.every(({ via, project_id: id }) => via === "signature" && id === home.project.id));

  const repository = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${home.app.slug}`);
  const digest = await repository.image(["layer"], { tag: "v1" });
  assert.equal((await repository.call("GET", "manifests/v1")).status, 200);
  const images = await rowsOf(server, token, "surface = 'registry' and method in ('GET', 'PUT')");
  assert.deepEqual(
    images.map(({ action, version, target_name: name }) => [action, version, name]),
    [
      ["image.push", "v1", repository.name],
      ["image.pull", "v1", repository.name],
    ],
  );
  assert.notEqual(digest, "");

  await ingested(server, token, "logs", [logEntry("one"), logEntry("two")]);
  const statement = await query(server, token, "select * from logs, audit_log limit 3");
  assert.equal(statement.status, 200, statement.text);
  const event = await acceptedEvent(home.webhook.url, "{}");
  assert.equal((await server.call("GET", `/v1/webhooks/${home.webhook.id}/events/${event}`, { token })).status, 200);
  assert.equal((await server.call("GET", "/v1/audit?limit=1", { token })).status, 200);
  assert.equal((await server.call("GET", "/v1/audit/export", { token })).status, 200);
  const tail = new AbortController();
  const live = await fetch(`${server.origin}/v1/tail/logs`, {
    headers: { authorization: `Bearer ${token}` },
    signal: tail.signal,
  });
  assert.equal(live.status, 200);
  const others = await rowsOf(server, token, "action in ('event.read', 'audit.read', 'export.run', 'logs.tail')");
  tail.abort();
  assert.deepEqual(
    others.map(({ action }) => String(action)).toSorted((a, b) => a.localeCompare(b)),
    ["audit.read", "event.read", "export.run", "logs.tail"],
  );
  const [run] = await rowsOf(server, token, `request_id = '${statement.headers.get("request-id")}'`);
  assert.deepEqual([run?.["action"], run?.["rows"], run?.["outcome"]], ["query.run", 3, "success"]);
  assert.deepEqual(
    (run?.["tables"] as string[] | undefined)?.toSorted((a, b) => a.localeCompare(b)),
    ["audit_log", "logs"],
  );
});

test("refusals have a row, and a caller without the permission reads none", async () => {
  const { server, token, home } = shared;
  const weak = await server.token(home.credential, "telemetry:read");
  const denied = await server.call("DELETE", "/v1/files/file_00000000000000000000000000", { token: weak });
  refused(denied, 403, "insufficient_scope");
  const [row] = await rowsOf(server, token, `request_id = '${denied.headers.get("request-id")}'`);
  assert.deepEqual(
    [row?.["action"], row?.["outcome"], row?.["status"], row?.["target_id"]],
    ["file.delete", "refused", 403, "file_00000000000000000000000000"],
  );
  refused(await query(server, weak, "select * from access_log"), 403, "insufficient_scope");
});

test("a credential of a project sees the rows of its project only", async () => {
  const { server, token, home } = shared;
  const other = await server.call<{ id: string }>("POST", "/v1/projects", {
    token,
    json: { slug: "other", name: "O" },
  });
  const made = await server.call<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
    token,
    json: {
      name: "p",
      project: other.body.id,
      scopes: ["telemetry:read", "audit:read", "files:write", "files:read"],
    },
  });
  assert.equal(made.status, 201, made.text);
  const narrow = await server.token(made.body);
  const file = await uploaded(server, narrow, { filename: "narrow.txt" });
  const seen = await rowsOf(server, narrow);
  assert.ok(seen.length > 0 && seen.every((row) => row["project_id"] === other.body.id));
  assert.ok(seen.some((row) => row["target_id"] === file.id));
  assert.notEqual((await rowsOf(server, token, `project_id = '${home.project.id}'`)).length, 0);
});

test("sampled: some reads, each with its rate, and every write; off: nothing", async () => {
  const { server, token, home } = shared;
  await setMode(server, token, { mode: "sampled", sample_rate: 4 });
  const [before] = await rows<{ n: number }>(server, token, "select max(seq) as n from access_log");
  const requests = 200;
  for (let i = 0; i < requests; i++) await server.call("GET", "/v1/files?limit=1", { token });
  const file = await uploaded(server, token, { filename: "written.txt", project: home.project.id });
  const found = await rowsOf(server, token, `seq > ${before?.n} and action <> 'query.run'`);
  const reads = found.filter(({ action }) => action === "file.list");
  assert.ok(reads.length > requests / 8 && reads.length < requests / 2, `${reads.length} of ${requests} reads`);
  assert.ok(reads.every((row) => row["sample_rate"] === 4));
  const write = found.find((row) => row["target_id"] === file.id);
  assert.deepEqual([write?.["action"], write?.["sample_rate"]], ["file.upload", 1]);
  await setMode(server, token, { mode: "off" });
  const [last] = await rows<{ n: number }>(server, token, "select max(seq) as n from access_log");
  await uploaded(server, token, { filename: "unwatched.txt" });
  assert.deepEqual(await rowsOf(server, token, `seq > ${last?.n}`), []);
  await setMode(server, token, { mode: "all" });
});

test("rows become Parquet, stay readable over a restart, and leave with their organization", async () => {
  const settings = { ...RELAXED, compaction_interval_ms: 100 };
  const first = await startServer({ settings });
  let home: Bootstrap;
  try {
    home = await first.bootstrap();
    const token = await first.token(home.credential);
    await setMode(first, token, { mode: "all" });
    for (let i = 0; i < 20; i++) await uploaded(first, token, { filename: `${i}.txt` });
    const count = "select count(*) as n from access_log where action = 'file.upload'";
    assert.deepEqual(await rows(first, token, count), [{ n: 20 }]);
    await eventually("the rows to be in Parquet", async () => {
      const answer = await query<Json>(first, token, "select count(*) as n from access_log");
      const { statistics } = answer.body as unknown as { statistics: { files_scanned: number } };
      const [row] = (answer.body as unknown as { rows: { n: number }[] }).rows;
      return statistics.files_scanned > 1 && (row?.n ?? 0) >= 20 ? true : null;
    });
    await first.kill();
    const second = await startServer({ dataDir: first.dataDir, settings });
    try {
      const renewed = await second.token(home.credential);
      assert.deepEqual(await rows(second, renewed, count), [{ n: 20 }]);
    } finally {
      await second.dispose();
    }
  } finally {
    await first.dispose();
  }
});

test("after a power cut, a row says since when and how many rows may be missing", async () => {
  const first = await startServer({ settings: RELAXED });
  try {
    const home = await first.bootstrap();
    const token = await first.token(home.credential);
    await setMode(first, token, { mode: "all" });
    for (let i = 0; i < 50; i++) await first.call("GET", "/v1/audit?limit=1", { token });
    await first.kill();
    const dir = join(first.dataDir, "telemetry", "spool");
    const name = readdirSync(dir).at(-1) ?? "";
    const text = readFileSync(join(dir, name), "utf8");
    const lines = text.split("\n").slice(1, -1);
    assert.ok(lines.length >= 50, `${lines.length} rows wait`);
    // The machine was started again, and the disk has the header and some of the rows.
    const header = JSON.parse(text.split("\n")[0] ?? "") as { boot: string; firstSeq: number; reservedSeq: number };
    const lost = 20;
    const kept = [
      JSON.stringify({ ...header, boot: "another" }).padEnd(255),
      ...lines.slice(0, lines.length - lost),
      "",
    ];
    writeFileSync(join(dir, name), `${kept.join("\n")}{"half`);
    const second = await startServer({ dataDir: first.dataDir, settings: RELAXED });
    try {
      const renewed = await second.token(home.credential);
      const [gap, ...more] = await rowsOf(second, renewed, "action = 'log.gap'");
      assert.deepEqual(more, []);
      const detail = gap?.["detail"] as { from: string; to: string; rows_at_most: number };
      assert.ok(Date.parse(detail.from) < Date.parse(detail.to));
      assert.equal(detail.rows_at_most, header.reservedSeq - header.firstSeq - (lines.length - lost));
      assert.ok(detail.rows_at_most >= lost);
      const reads = await rowsOf(second, renewed, "action = 'audit.read'");
      assert.ok(reads.length >= 50 - lost && reads.length < 50, `${reads.length} rows are left`);
    } finally {
      await second.dispose();
    }
  } finally {
    await first.dispose();
  }
});

test("the deletion of a person erases what the rows say of them, and keeps the rows", async () => {
  const { server, token, home } = shared;
  await setMode(server, token, { mode: "all" });
  const owner = await Person.setUp(server, home.owner);
  const person = await Person.invited(owner, "ada@example.org", "admin");
  const read = await person.api("GET", "/v1/audit?limit=1");
  assert.equal(read.status, 200, read.text);
  const mine = `actor_id = '${person.id}' and action = 'audit.read'`;
  const [before] = await rowsOf(server, token, mine);
  assert.deepEqual(
    [before?.["actor_kind"], before?.["actor_name"], before?.["ip"]],
    ["person", person.email, "127.0.0.1"],
  );
  const deleted = await person.call("DELETE", "/api/account");
  assert.ok(deleted.status < 300, deleted.text);
  await eventually("the columns about the person to be erased", async () => {
    const [after] = await rowsOf(server, token, mine);
    return after?.["actor_name"] === null ? true : null;
  });
  const [after] = await rowsOf(server, token, mine);
  const personal = { actor_name: null, session_id: null, ip: null, user_agent: null };
  assert.deepEqual(after, { ...before, ...personal });
});
