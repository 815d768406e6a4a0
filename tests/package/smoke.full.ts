/**
 * The package `mooring`, installed from its tarball in an empty folder with an empty home, from `npm install` to a
 * stop.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { call, postForm } from "../fixtures/http.ts";
import { emptyFolder, packages } from "../fixtures/package.ts";
import { eventually, killGroup } from "../fixtures/process.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import type { Bootstrap } from "../fixtures/server.ts";

const folder = emptyFolder();
let server: ChildProcess | undefined;
let [stdout, stderr] = ["", ""];

before(() => {
  const { status, stderr: text } = folder.install([packages().server]);
  assert.equal(status, 0, text);
});

after(() => {
  if (server?.pid !== undefined) killGroup(server.pid);
  folder.remove();
});

function mooring(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("npx", ["--no", "mooring", ...words], {
    cwd: folder.path,
    env: folder.environment,
    encoding: "utf8",
  });
}

test("the package has no tests, sources or paths of the machine that made it", () => {
  const directory = join(folder.path, "node_modules/mooring");
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  assert.deepEqual(
    names.filter((name) => /\.(test|full)\.|\.(ts|tsx|map)$|testing/.test(name)),
    [],
  );
  for (const file of names.filter((name) => /\.(js|mjs|json|md)$/.test(name)))
    assert.ok(!readFileSync(join(directory, file), "utf8").includes(`${process.cwd()}/`), file);
});

test("no package of the tree runs a script when it is installed", () => {
  const lock = JSON.parse(readFileSync(join(folder.path, "node_modules/.package-lock.json"), "utf8")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  assert.ok(Object.keys(lock.packages).length >= 4);
  assert.deepEqual(
    Object.keys(lock.packages).filter((name) => lock.packages[name]?.hasInstallScript === true),
    [],
  );
});

test("mooring version names the commit's version", () => {
  const { version } = JSON.parse(readFileSync(join(folder.path, "node_modules/mooring/package.json"), "utf8")) as {
    version: string;
  };
  assert.match(mooring("version").stdout, new RegExp(`^mooring ${version.replaceAll(".", "\\.")} \\(Node \\d+`));
});

test("npx mooring serve answers a page, a token, a log line by SQL, a file, an object and a backup, and stops", async () => {
  const origin = await serve();
  assert.match(await (await fetch(`${origin}/`)).text(), /<html lang=/);
  const outcome = mooring(
    "bootstrap",
    "--data-dir",
    "data",
    "--org",
    "acme",
    "--project",
    "web",
    "--app",
    "shop",
    "--json",
  );
  assert.equal(outcome.status, 0, outcome.stderr);
  const home = JSON.parse(outcome.stdout) as Bootstrap;
  const answer = await postForm<{ access_token: string }>(origin, "/oauth/token", {
    grant_type: "client_credentials",
    ...home.credential,
  });
  const { access_token: token } = answer.body;
  await logsAndSql(origin, token);
  await files(origin, token);
  await objects(home);
  const backup = mooring("backup", "--data-dir", "data", "--to", join(folder.path, "backups"));
  assert.equal(backup.status, 0, backup.stderr);
  await stop();
});

async function serve(): Promise<string> {
  const words = [
    "--no",
    "mooring",
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--s3-listen",
    "127.0.0.1:0",
    "--metrics-listen",
    "off",
  ];
  const child = spawn("npx", [...words, "--data-dir", "data"], {
    cwd: folder.path,
    env: folder.environment,
    detached: true,
  });
  server = child;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return eventually("the server to be ready", () => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${stdout}${stderr}`);
    return /^\s*portal\s+(http:\/\/\S+)$/m.exec(stdout)?.[1];
  });
}

async function logsAndSql(origin: string, token: string): Promise<void> {
  const entries = [{ timestamp: new Date().toISOString(), level: "info", message: "taken by the package" }];
  const taken = await call(origin, "POST", "/v1/ingest/logs", { token, json: { entries } });
  assert.equal(taken.status, 202, taken.text);
  const found = await call(origin, "POST", "/v1/query", { token, json: { sql: "SELECT message FROM logs" } });
  assert.equal(found.status, 200, found.text);
  assert.match(found.text, /taken by the package/);
}

async function files(origin: string, token: string): Promise<void> {
  const json = { filename: "a.txt", content_type: "text/plain" };
  const grant = await call<{ data: { upload_url: string; file_id: string } }>(origin, "POST", "/v1/upload", {
    token,
    json,
  });
  const put = await fetch(grant.body.data.upload_url, {
    method: "PUT",
    body: "a file",
    headers: { "content-type": "text/plain" },
  });
  assert.equal(put.status, 200, await put.text());
  const link = await call<{ data: { download_url: string } }>(
    origin,
    "GET",
    `/v1/files/${grant.body.data.file_id}/download`,
    { token },
  );
  assert.equal(await (await fetch(link.body.data.download_url)).text(), "a file");
}

async function objects(home: Bootstrap): Promise<void> {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, bucket: Bucket } = home.s3;
  const s3 = sdkClient({
    url: home.addresses["s3_endpoint"] ?? "",
    region,
    accessKeyId,
    secretAccessKey,
    bucket: Bucket,
  });
  await s3.send(new PutObjectCommand({ Bucket, Key: "a/b.txt", Body: "an object" }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: "a/b.txt" }));
  assert.equal(await Body?.transformToString(), "an object");
  s3.destroy();
}

async function stop(): Promise<void> {
  if (server?.pid === undefined) throw new Error("no server runs");
  const exited = once(server, "exit");
  process.kill(-server.pid, "SIGINT"); // as Ctrl-C in a terminal
  await exited;
  assert.match(stdout, /\nstopped\n$/, stderr);
  assert.equal(stderr.split("\n").filter((line) => line.includes('"level":"error"')).length, 0, stderr);
}
