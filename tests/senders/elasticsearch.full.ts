/**
 * Elasticsearch's bulk requests, with the configurations that the portal shows: the official clients, the transports of
 * pino and winston, and rsyslog. Also curl.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../fixtures/ports.ts";
import { configurationOf, replaced, runModule, runScript, runShell } from "./agents.ts";
import { missingPackage, missingPython } from "./packages.ts";
import { assertNow, run, useSenders } from "./place.ts";

const place = useSenders();
const RSYSLOGD = "/usr/sbin/rsyslogd";
const MODULE = "/usr/lib/x86_64-linux-gnu/rsyslog/omelasticsearch.so";
const COUNT = 2500;

async function assertDocuments(service: string, level: string): Promise<void> {
  const [row] = await place.sql(
    `select count(*) as n, count(distinct attributes->>'order') as orders, any_value(level) as level, max(timestamp) as timestamp from logs where service = '${service}'`,
  );
  assert.deepEqual([Number(row?.["n"]), Number(row?.["orders"]), row?.["level"]], [COUNT, COUNT, level]);
  assertNow([row ?? {}]);
}

const BY_CLIENT = `
const documents = Array.from({ length: ${COUNT} }, (_, order) => (
  { "@timestamp": new Date().toISOString(), message: "document " + order, log: { level: "warn" }, order }
));
send(documents).then((result) => {
  if (result.successful !== ${COUNT} || result.failed !== 0) throw new Error(JSON.stringify(result));
});
`;

test("the bulk helpers of Node's clients 8 and 9", { skip: missingPackage("elasticsearch8") }, async () => {
  for (const version of [8, 9]) {
    const text = configurationOf("elasticsearch-node", place, `client${version}`);
    const client = replaced(text, { '"@elastic/elasticsearch"': `"elasticsearch${version}"` });
    await runModule(client + BY_CLIENT, place.directory);
    await assertDocuments(`client${version}`, "warn");
  }
});

test("the bulk helper of Python's client", { skip: missingPython("elasticsearch") }, async () => {
  const end = `
from datetime import datetime, timezone
now = datetime.now(timezone.utc).isoformat()
documents = [{"@timestamp": now, "message": f"document {i}", "log.level": "error", "order": i} for i in range(${COUNT})]
assert send(documents) == (${COUNT}, [])
`;
  await runScript(configurationOf("elasticsearch-python", place, "clientpython") + end, place.directory);
  await assertDocuments("clientpython", "error");
});

test("pino-elasticsearch and winston-elasticsearch", { skip: missingPackage("pino-elasticsearch") }, async () => {
  const byPino = `logger.error({ order: 7 }, "by pino");\nstream.end();\n`;
  await runModule(configurationOf("pino-elasticsearch", place, "pino-shop") + byPino, place.directory);
  const byWinston = `
transport.on("error", () => process.exit(1));
logger.warn("by winston", { order: 8 });
setImmediate(() => transport.flush().then(() => logger.on("finish", () => process.exit(0)).end()));
`;
  await runModule(configurationOf("winston-elasticsearch", place, "winston") + byWinston, place.directory);
  const found = await place.find(
    "select timestamp, message, level, service, attributes->>'_index' as name from logs where message in ('by pino', 'by winston') order by message",
    2,
  );
  assert.deepEqual(
    found.map(({ message, level, service, name }) => [message, level, service, name]),
    [
      ["by pino", "error", "pino-shop", "pino"],
      ["by winston", "warn", "winston", "logs-winston-default"],
    ],
  );
  assertNow(found);
});

const SKIP =
  existsSync(RSYSLOGD) && existsSync(MODULE) ? false : "RSYSLOG IS NOT TESTED: rsyslog-elasticsearch is not installed";

test("rsyslog's omelasticsearch, one line and many at once", { skip: SKIP }, async () => {
  const port = await freePort();
  const file = join(place.directory, "rsyslog.conf");
  const input = `module(load="imudp")\ninput(type="imudp" address="127.0.0.1" port="${port}")\n`;
  writeFileSync(file, input + configurationOf("rsyslog-elasticsearch", place, "none"));
  const child = spawn(RSYSLOGD, ["-n", "-f", file, "-i", join(place.directory, "rsyslog.pid")], { stdio: "inherit" });
  const socket = createSocket("udp4");
  const send = (text: string): void =>
    socket.send(`<11>${new Date().toISOString()} host shop: ${text}`, port, "127.0.0.1");
  try {
    // The first datagrams may come before the input is there.
    const asked = setInterval(() => send("hello"), 100);
    const [first] = await place
      .find("select timestamp, level, service, attributes->>'_index' as name from logs where message like '%hello'", 1)
      .finally(() => clearInterval(asked));
    assert.deepEqual([first?.["level"], first?.["service"], first?.["name"]], ["err", "shop", "rsyslog"]);
    assertNow([first ?? {}]);
    for (let i = 0; i < 50; i++) send(`one of many ${i}`);
    const found = await place.find("select distinct message from logs where message like '%one of many%'", 50);
    assert.equal(found.length, 50);
  } finally {
    socket.close();
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("curl: a bulk request, and Loki's JSON", async () => {
  const now = Date.now();
  const curl = (path: string, body: string, ...words: readonly string[]): Promise<string> =>
    run("curl", ["-sS", "--fail-with-body", ...words, "--data-binary", body, place.origin + path]);
  const fields = JSON.stringify({ "@timestamp": now, message: "curl bulk", level: "warn", service: "curl" });
  await curl(
    "/elasticsearch/_bulk",
    `{"index":{"_index":"c"}}\n${fields}\n`,
    "-H",
    `Authorization: ApiKey ${place.key}`,
  );
  const values = [[`${now}000000`, "curl loki"]];
  const push = JSON.stringify({ streams: [{ stream: { app: "curl", level: "warn" }, values }] });
  await curl("/loki/api/v1/push", push, "-u", `any:${place.key}`, "-H", "Content-Type: application/json");
  const found = await place.sql(
    "select timestamp, message, level, service from logs where service = 'curl' order by message",
  );
  assert.deepEqual(
    found.map(({ message, level }) => [message, level]),
    ["bulk", "loki"].map((name) => [`curl ${name}`, "warn"]),
  );
  assertNow(found);
});

test("lines for a terminal: an event of Splunk, plain lines, and lines of JSON", async () => {
  for (const id of ["splunk-curl", "curl-lines", "curl-ndjson"]) {
    await runShell(configurationOf(id, place, id), place.directory);
    const found = await place.sql(`select timestamp, message, lower(level) as level from logs where service = '${id}'`);
    assert.deepEqual(
      found.map(({ message, level }) => [message, level]),
      [["order shipped", "info"]],
    );
    assertNow(found);
  }
});
