/** The tables `files` and `objects`: their current rows, for the projects that the caller sees. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DeleteObjectCommand, PutBucketVersioningCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { uploaded } from "../fixtures/files.ts";
import { newClient } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { useSharedServer, type Bootstrap } from "../fixtures/server.ts";

type Row = Record<string, unknown>;

const PROJECT = "vault";
let s3: S3Client;
let bucket: string;
let other: Bootstrap;
const shared = useSharedServer(async ({ server, home }) => {
  const endpoint = await s3EndpointOf(server, home);
  s3 = sdkClient(endpoint);
  ({ bucket } = endpoint);
  const made = await server.call("POST", "/v1/projects", {
    token: await server.token(home.credential),
    json: { slug: PROJECT },
  });
  assert.equal(made.status, 201, made.text);
  other = await server.bootstrap({ org: `${shared.home.org.slug}-rival`, project: "plant", app: "reactor" });
});

const ask = (sql: string, token: string) =>
  shared.server.call<{ rows: Row[] }>("POST", "/v1/query", { token, json: { sql } });

async function rows(sql: string, token = shared.token): Promise<Row[]> {
  const answer = await ask(sql, token);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.rows;
}

async function tokenWith(scopes: readonly string[], project?: string): Promise<string> {
  const { server, token } = shared;
  return server.token(await newClient(server, token, scopes, project));
}

const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

test("objects are in the table once they are answered, and leave it when they are deleted", async () => {
  const mine =
    "SELECT key, size_bytes, is_latest, is_delete_marker FROM objects WHERE key LIKE 'a/%' ORDER BY key, timestamp";
  const [x, y] = ["a/x <img src=x onerror=alert(1)>", "a/y\n‮"];
  await put(x, "12345");
  await put(y, "1");
  const shown = { is_latest: true, is_delete_marker: false };
  assert.deepEqual(await rows(mine), [
    { key: x, size_bytes: 5, ...shown },
    { key: y, size_bytes: 1, ...shown },
  ]);
  await put(y, "2");
  const [etag] = await rows(`SELECT etag FROM objects WHERE key LIKE 'a/y%'`);
  assert.deepEqual(etag, { etag: "c81e728d9d4c2f636f067f89cc14862c" });
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: x }));
  assert.deepEqual(await rows(mine), [{ key: y, size_bytes: 1, ...shown }]);
});

test("old versions are in the table too", async () => {
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: "Enabled" } }));
  await put("v", "1");
  await put("v", "22");
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: "v" }));
  const sql = `SELECT size_bytes, is_latest, is_delete_marker FROM objects WHERE bucket = '${bucket}' AND key = 'v' ORDER BY is_latest DESC, size_bytes`;
  assert.deepEqual(await rows(sql), [
    { size_bytes: 0, is_latest: true, is_delete_marker: true },
    { size_bytes: 1, is_latest: false, is_delete_marker: false },
    { size_bytes: 2, is_latest: false, is_delete_marker: false },
  ]);
});

test("files are in the table once they are answered, and leave it when they are deleted", async () => {
  const { server, token } = shared;
  const sql = "SELECT filename, size_bytes, project_id FROM files ORDER BY filename";
  const first = await uploaded(server, token, { filename: "one.txt" }, "12345");
  const second = await uploaded(server, token, { filename: "two <b>.txt", project: PROJECT }, "1");
  const one = { filename: "one.txt", size_bytes: 5, project_id: null };
  assert.deepEqual(await rows(sql), [
    one,
    { ...one, filename: "two <b>.txt", size_bytes: 1, project_id: second.project_id },
  ]);
  assert.deepEqual(await rows(sql, await tokenWith(["files:read", "telemetry:read"], PROJECT)), [
    { filename: "two <b>.txt", size_bytes: 1, project_id: second.project_id },
  ]);
  assert.equal((await server.call("DELETE", `/v1/files/${second.id}`, { token })).status, 204);
  assert.deepEqual(await rows(sql), [one]);
  assert.deepEqual(await rows("SELECT sha256 FROM files"), [{ sha256: first.sha256 }]);
});

test("a credential of another project sees none, and neither does another organization", async () => {
  await put("seen", "1");
  const bound = await tokenWith(["s3:read", "files:read", "telemetry:read"], PROJECT);
  const stranger = await shared.server.token(other.credential);
  for (const table of ["objects", "files"]) {
    assert.notDeepEqual(await rows(`SELECT count(*) AS n FROM ${table}`), [{ n: 0 }]);
    for (const as of [bound, stranger])
      assert.deepEqual(await rows(`SELECT count(*) AS n FROM ${table}`, as), [{ n: 0 }], table);
  }
});

test("each table needs the scope of its list operation, in every statement", async () => {
  for (const [table, scope] of [
    ["objects", "s3:read"],
    ["files", "files:read"],
  ] as const) {
    const without = await tokenWith(["telemetry:read", scope === "s3:read" ? "files:read" : "s3:read"]);
    for (const sql of [
      `SELECT * FROM ${table}`,
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM main.${table})`,
      `WITH logs AS (FROM ${table}) SELECT * FROM logs`,
      `DESCRIBE ${table}`,
      `SELECT * FROM ${table} LIMIT 0`,
    ]) {
      const answer = await ask(sql, without);
      assert.equal(answer.status, 403, `${sql}: ${answer.text}`);
      assert.ok(answer.text.includes(scope), answer.text);
    }
  }
});

test("an error does not reveal hidden rows", async () => {
  await put("hidden", "1");
  const bound = await tokenWith(["s3:read", "files:read", "telemetry:read"], PROJECT);
  for (const sql of ["SELECT key::UUID FROM objects", "SELECT filename::INT FROM files WHERE filename::INT > 0"])
    assert.deepEqual(await rows(sql, bound), []);
});
