/** Settings and logs of a real process: files of secrets, Kubernetes' variables, mistakes with their places, both formats of the log. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Person } from "../fixtures/person.ts";
import { mooring } from "../fixtures/process.ts";
import { showLogs, startServer, type Server, type ServerOptions } from "../fixtures/server.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-settings-"));
const servers: Server[] = [];

showLogs(() => servers);
after(async () => {
  for (const server of servers) await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

async function start(options: ServerOptions): Promise<Server> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

function fileWith(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const KEY = "5ec2e7".repeat(11).slice(0, 64);

const KUBERNETES = {
  MOORING_SERVICE_HOST: "10.96.14.3",
  MOORING_SERVICE_PORT: "8080",
  MOORING_SERVICE_PORT_HTTP: "8080",
  MOORING_PORT: "tcp://10.96.14.3:8080",
  MOORING_PORT_8080_TCP: "tcp://10.96.14.3:8080",
  MOORING_PORT_8080_TCP_ADDR: "10.96.14.3",
  MOORING_PORT_8080_TCP_PORT: "8080",
  MOORING_PORT_8080_TCP_PROTO: "tcp",
};

/** Waits for the request's line, since it may come after the answer. */
async function lineOf(server: Server, requestId: string): Promise<string> {
  assert.equal((await server.call("GET", "/v1/nowhere", { headers: { "request-id": requestId } })).status, 404);
  await server.stop();
  const line = server
    .stderr()
    .split("\n")
    .find((each) => each.includes(requestId) && each.includes("request answered"));
  return line ?? assert.fail(`no line has the request id:\n${server.stderr()}`);
}

test("in a pod: the master key is in a file, Kubernetes' variables are there, and the log is JSON with level names", async () => {
  const environment = { ...KUBERNETES, MOORING_MASTER_KEY_FILE: fileWith("key", `${KEY}\n`) };
  const server = await start({ environment, settings: { log_level: "debug" } });
  await server.token((await server.bootstrap()).credential);
  const line = JSON.parse(await lineOf(server, "seen-in-json")) as Record<string, unknown>;
  assert.deepEqual(
    [line["level"], line["request_id"], line["status"], line["msg"]],
    ["debug", "seen-in-json", 404, "request answered"],
  );
  assert.match(String(line["time"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const each of server.stderr().trim().split("\n"))
    assert.match(String((JSON.parse(each) as { level: unknown }).level), /^(debug|info|warn|error|fatal)$/);
  assert.ok(!existsSync(join(server.dataDir, "master.key")), "the key is only in the file");
  assert.ok(!(server.stdout() + server.stderr()).includes(KEY));
});

test("the log as text has one line for an event", async () => {
  const server = await start({ settings: { log_level: "debug", log_format: "text" } });
  const line = await lineOf(server, "seen-in-text");
  assert.match(line, /^\S{23}Z debug request answered (\S+=\S+ )*request_id=seen-in-text .*\bstatus=404\b/);
  for (const each of server.stderr().trim().split("\n")) assert.match(each, /^\d{4}-\S{18}Z (debug|info |warn ) \S/);
});

/** Returns the lines of the log about a request, as JSON. */
function linesOf(server: Server, requestId: string): Record<string, unknown>[] {
  const lines = server.stderr().split("\n");
  return lines.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a refused request has one line, and an operator changes the level of the running server", async () => {
  const server = await start({ settings: { log_format: "json" } });
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const ask = (id: string): Promise<unknown> =>
    server.call("GET", "/v1/projects/absent", { token, headers: { "request-id": id } });
  await ask("at-info-0001");
  const operator = await Person.setUp(server, home.owner);
  assert.equal((await operator.call("PUT", "/api/instance/log-level", { level: "debug" })).status, 200);
  await ask("at-debug-0001");
  assert.equal((await operator.call("PUT", "/api/instance/log-level", { level: "error" })).status, 200);
  await ask("at-error-0001");
  await server.stop();
  const [line, ...more] = linesOf(server, "at-info-0001");
  assert.deepEqual(more, []);
  const { level, msg, code, rule, status, operation, organization, server_request_id: id } = line ?? assert.fail();
  const found = { level, msg, code, rule, status, operation, organization };
  const message = "request refused";
  assert.deepEqual(found, {
    level: "info",
    msg: message,
    code: "not_found",
    rule: "absent",
    status: 404,
    operation: "getProject",
    organization: home.org.id,
  });
  assert.match(String(id), /^req_/);
  const messages = linesOf(server, "at-debug-0001").map((each) => each["msg"]);
  assert.deepEqual(new Set(messages), new Set([message, "request answered"]));
  assert.deepEqual(linesOf(server, "at-error-0001"), []);
});

test("log_requests writes a line for each answered request, with its caller", async () => {
  const server = await start({ settings: { log_format: "json", log_requests: "all" } });
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  assert.equal((await server.call("GET", "/v1/me", { token, headers: { "request-id": "answered-0001" } })).status, 200);
  await server.stop();
  const [line] = linesOf(server, "answered-0001");
  assert.ok(line !== undefined, server.stderr());
  const { level, msg, path, status, organization, ip } = line;
  const wanted = {
    level: "info",
    msg: "request answered",
    path: "/v1/me",
    status: 200,
    organization: home.org.id,
    ip: "127.0.0.1",
  };
  assert.deepEqual({ level, msg, path, status, organization, ip }, wanted);
  assert.match(String(line["actor"]), /^cred_/);
});

test("all mistakes have their place, and the server does not start", async () => {
  const file = fileWith("mooring.json", '{\n  "lisen": "127.0.0.1:1",\n  "slow_request_ms": "fast"\n}\n');
  const missing = join(directory, "missing");
  const environment = { ...KUBERNETES, MOORING_LOGLEVEL: "warn", MOORING_MASTER_KEY_FILE: missing };
  const dataDir = join(directory, "never");
  const { code, stderr } = await mooring(["serve", "--data-dir", dataDir, "--config", file], { environment });
  assert.equal(code, 2, stderr);
  for (const mistake of [
    `${file}:2:3: "lisen" is not a setting; did you mean listen?`,
    `${file}:3:22: slow_request_ms: "fast" must be a whole number from 1 to 86400000 `,
    "MOORING_LOGLEVEL: is not a setting; did you mean MOORING_LOG_LEVEL?",
    `MOORING_MASTER_KEY_FILE: cannot read ${missing}: there is no such file (ENOENT)`,
  ])
    assert.ok(stderr.includes(`  - ${mistake}`), `${mistake} is not in:\n${stderr}`);
  assert.equal(stderr.trim().split("\n").length, 5, stderr);
  assert.ok(!existsSync(dataDir));
});

test("a mistyped option gets a suggestion, and a secret is not an option", async () => {
  const mistyped = await mooring(["config", "check", "--lisen", "127.0.0.1:1"]);
  assert.equal(mistyped.code, 2);
  assert.match(mistyped.stderr, /there is no option --lisen; did you mean --listen\?/);
  const secret = await mooring(["config", "check", `--master-key=${KEY}`]);
  assert.equal(secret.code, 2);
  assert.match(secret.stderr, /set MOORING_MASTER_KEY or MOORING_MASTER_KEY_FILE/);
  assert.ok(!secret.stderr.includes(KEY));
});

test("config print shows each source, and config check only checks", async () => {
  const file = fileWith("print.json", '{"log_level": "warn",\n "portal_url": "https://u:hunter2@mooring.example.com"}');
  const database = fileWith("database", "postgres://u:hunter2@db:5432/mooring\n");
  const environment = { ...KUBERNETES, MOORING_CONFIG: file, MOORING_DATABASE_URL_FILE: database };
  const words = ["--listen", "127.0.0.1:1"];
  const changed = await mooring(["config", "print", "--changed", ...words], { environment });
  assert.equal(
    changed.stdout,
    [
      "listen = 127.0.0.1:1  # --listen",
      `database_url = postgres://(hidden)@db:5432/mooring  # MOORING_DATABASE_URL_FILE (${database})`,
      `portal_url = https://(hidden)@mooring.example.com  # ${file}:2:16`,
      `log_level = warn  # ${file}:1:15`,
      "",
    ].join("\n"),
    changed.stderr,
  );
  const all = await mooring(["config", "print", ...words], { environment });
  assert.match(all.stdout, /^s3_listen = 127\.0\.0\.1:9000 {2}# default$/m);
  const json = await mooring(["config", "print", "--json", ...words], { environment });
  const settings = JSON.parse(json.stdout) as Record<string, object>;
  assert.deepEqual(settings["log_level"], {
    value: "warn",
    origin: `${file}:1:15`,
    source: "file",
    file,
    line: 1,
    column: 15,
  });
  assert.deepEqual(settings["s3_listen"], { value: "127.0.0.1:9000", origin: "default", source: "default" });
  for (const { stdout, stderr } of [changed, all, json]) assert.ok(!(stdout + stderr).includes("hunter2"));
  const check = await mooring(["config", "check", ...words], { environment });
  assert.deepEqual([check.code, check.stdout], [0, "the settings are valid\n"]);
});
