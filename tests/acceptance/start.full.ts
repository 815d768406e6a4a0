/** The start of the server. Every refusal to start names the remedy. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { serveWords, startServer, type Server, type ServerOptions } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";

const directories: string[] = [];
const servers: Server[] = [];

after(async () => {
  for (const server of servers) await server.dispose();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), "mooring-life-"));
  directories.push(made);
  return made;
}

async function start(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

/** Runs `serve`, which must refuse to start. */
function refusal(
  dataDir: string,
  settings: Record<string, string | number> = {},
  environment: Record<string, string> = {},
): Promise<Outcome> {
  return mooring(serveWords(dataDir, settings), { environment, deadlineMs: 60_000 });
}

test("while the server runs, a file in the data directory has its address, readable by the owner only", async () => {
  const dataDir = join(directory(), "made", "by", "serve");
  const server = await start({ dataDir });
  const note = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as {
    addresses: Record<string, string>;
    pid: number;
  };
  assert.equal(note.addresses["portal_url"], server.origin);
  assert.equal(note.pid, server.pid);
  assert.equal(statSync(dataDir).mode & 0o077, 0, "the directory");
  for (const name of readdirSync(dataDir)) {
    assert.equal(statSync(join(dataDir, name)).mode & 0o022, 0, `${name} can be written by others`);
  }
  assert.equal(statSync(join(dataDir, "master.key")).mode & 0o777, 0o600);
  await server.stop();
});

test("the server accepts as many connections as connections_max says, and more after some have closed", async () => {
  const server = await start({ settings: { connections_max: 5 } });
  const { hostname, port } = new URL(server.origin);
  const sockets = Array.from({ length: 12 }, () => connect({ host: hostname, port: Number(port) }));
  for (const socket of sockets) socket.on("error", () => undefined).resume();
  const deadlineMs = performance.now() + 10_000;
  while (sockets.filter((socket) => socket.closed).length < 7) {
    assert.ok(performance.now() < deadlineMs, "connections past the limit stay open");
    await delay(5);
  }
  assert.ok(
    sockets.some((socket) => !socket.closed),
    "connections within the limit were closed too",
  );
  for (const socket of sockets) socket.destroy();
  for (;;) {
    assert.ok(performance.now() < deadlineMs, "no connection is accepted after others have closed");
    const status = await fetch(`${server.origin}/livez`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) break;
    await delay(5);
  }
  await server.stop();
});

test("an address in use is named, and nothing is changed", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  const address = `127.0.0.1:${(blocker.address() as AddressInfo).port}`;
  const dataDir = join(directory(), "data");
  const outcome = await refusal(dataDir, { listen: address });
  assert.equal(outcome.code, 1);
  assert.ok(outcome.stderr.includes(address), outcome.stderr);
  assert.match(outcome.stderr, /cannot listen on .*: /);
  assert.doesNotMatch(outcome.stderr, /\n\s+at /, "no stack trace");
  assert.ok(!existsSync(join(dataDir, "mooring.db")));
  blocker.close();
});

test("a start continues when only the default port of OTLP/gRPC is taken, and stops for any other one", async () => {
  const dataDir = join(directory(), "data");
  const blocker = createServer();
  blocker.listen(4317, "127.0.0.1");
  await Promise.race([once(blocker, "listening"), once(blocker, "error")]); // Another program may have it already.
  try {
    const server = await start({ dataDir, settings: { otlp_grpc_listen: "127.0.0.1:4317" } });
    await server.stop();
    assert.equal(server.grpcOrigin, "");
    assert.match(
      server.stderr(),
      /"address":"127\.0\.0\.1:4317".*"msg":"another process uses the default port of OTLP/,
    );
  } finally {
    blocker.close();
  }
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
  for (const name of ["otlp_grpc_listen", "syslog_tcp_listen"])
    assert.match((await refusal(dataDir, { [name]: address })).stderr, /cannot listen on .*: another process/, name);
  holder.close();
});

test("a second server on the same data directory is refused, and the first continues", async () => {
  const dataDir = directory();
  const first = await start({ dataDir });
  const token = await first.token((await first.bootstrap()).credential);
  await ingested(first, token, "logs", [logEntry("before")]);
  const outcome = await refusal(dataDir, {}, { ...first.environment });
  assert.equal(outcome.code, 1, outcome.stdout + outcome.stderr);
  assert.ok(outcome.stderr.includes(dataDir) || outcome.stderr.includes(String(first.pid)), outcome.stderr);
  assert.doesNotMatch(outcome.stderr, /\n\s+at /, "no stack trace");
  await ingested(first, token, "logs", [logEntry("after")]);
  assert.equal((await rows(first, token, "select message from logs")).length, 2);
  await first.stop();
});

test("an impossible data directory is refused with its path", async () => {
  const file = join(directory(), "file");
  writeFileSync(file, "");
  for (const dataDir of [file, join(file, "below")]) {
    const outcome = await refusal(dataDir);
    assert.equal(outcome.code, 1, outcome.stdout + outcome.stderr);
    assert.ok(outcome.stderr.includes(dataDir), outcome.stderr);
    assert.match(outcome.stderr, /cannot /);
    assert.doesNotMatch(outcome.stderr, /\n\s+at /, "no stack trace");
  }
});

const root = process.getuid?.() === 0;

test(
  "a data directory without write permission is refused with its path",
  { skip: root ? false : "only root can become another user" },
  async () => {
    const dataDir = join(directory(), "closed");
    chmodSync(join(dataDir, ".."), 0o755);
    mkdirSync(dataDir, { mode: 0o755 });
    const outcome = await mooring(serveWords(dataDir), { uid: 65_534, deadlineMs: 20_000 });
    assert.notEqual(outcome.code, 0, outcome.stdout);
    assert.ok(outcome.stderr.includes(dataDir), outcome.stderr);
    assert.match(outcome.stderr, /cannot /);
  },
);

test("a wrong or lost master key is refused with a remedy; the right one works again", async () => {
  const dataDir = directory();
  const server = await start({ dataDir });
  const home = await server.bootstrap();
  await server.stop();
  const key = join(dataDir, "master.key");
  const right = readFileSync(key);
  rmSync(key);
  const lost = await refusal(dataDir, {}, { ...server.environment });
  assert.equal(lost.code, 1, lost.stdout + lost.stderr);
  assert.match(lost.stderr, /master key|master\.key/i);
  assert.ok(!existsSync(key), "no new key is created over data that needs the old one");
  const wrong = await refusal(
    dataDir,
    {},
    { ...server.environment, MOORING_MASTER_KEY: randomBytes(32).toString("hex") },
  );
  assert.equal(wrong.code, 1, wrong.stdout + wrong.stderr);
  assert.match(wrong.stderr, /master key|master\.key|MOORING_MASTER_KEY/i);
  writeFileSync(key, right, { mode: 0o600 });
  const again = await start({ dataDir });
  await again.token(home.credential);
  await again.stop();
});

test("a master key from the environment needs no file", async () => {
  const MOORING_MASTER_KEY = randomBytes(32).toString("base64");
  const dataDir = directory();
  const server = await start({ dataDir, environment: { MOORING_MASTER_KEY } });
  const home = await server.bootstrap();
  await server.token(home.credential);
  await server.stop();
  assert.ok(!existsSync(join(dataDir, "master.key")));
  assert.ok(!(server.stdout() + server.stderr()).includes(MOORING_MASTER_KEY));
});

test("a configuration with many mistakes reports all of them at once, by name, and no secret", async () => {
  const config = join(directory(), "config.json");
  const dataDir = directory();
  const secret = "postgres-but-wrong://user:hunter2@db";
  writeFileSync(
    config,
    JSON.stringify({ query_rows_max: 0, stop_timeout_ms: "soon", nonsense: 1, database_url: secret }),
  );
  const environment = { MOORING_RATE_LIMIT_PER_SECOND: "many", MOORING_NO_SUCH_THING: "1" };
  const outcome = await mooring(
    [...serveWords(dataDir, { log_level: "loud", listen: "nowhere" }), "--config", config],
    { environment },
  );
  assert.equal(outcome.code, 2, outcome.stdout + outcome.stderr);
  const named = [
    "query_rows_max",
    "stop_timeout_ms",
    "nonsense",
    "database_url",
    "MOORING_RATE_LIMIT_PER_SECOND",
    "MOORING_NO_SUCH_THING",
  ];
  for (const name of [...named, "--log-level", "--listen"])
    assert.ok(outcome.stderr.includes(name), `${name} is not in:\n${outcome.stderr}`);
  assert.ok(!outcome.stderr.includes("hunter2"), outcome.stderr);
  assert.deepEqual(readdirSync(dataDir), [], "nothing was started");
});

test("a configuration file that is not JSON is named", async () => {
  const config = join(directory(), "config.json");
  writeFileSync(config, "{ nope");
  const outcome = await mooring([...serveWords(directory()), "--config", config]);
  assert.equal(outcome.code, 2);
  assert.ok(outcome.stderr.includes(config), outcome.stderr);
});

test("wrong arguments exit with 2; help exits with 0 and explains the use", async () => {
  for (const words of [["nonsense"], ["serve", "--nonsense"], ["bootstrap"], ["bootstrap", "--org", "acme", "extra"]]) {
    const outcome = await mooring(words);
    assert.equal(outcome.code, 2, `${words.join(" ")}: ${outcome.stdout}${outcome.stderr}`);
    assert.match(outcome.stderr, /--help|Usage/);
  }
  for (const words of [
    ["--help"],
    ["help"],
    ["serve", "--help"],
    ["bootstrap", "--help"],
    ["ingest", "--help"],
    ["query", "--help"],
    ["doctor", "--help"],
  ]) {
    const outcome = await mooring(words);
    assert.equal(outcome.code, 0, words.join(" "));
    assert.match(outcome.stdout, /Usage/);
  }
});
