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
import { configurationOf, replaced, runShell, startModule, startScript } from "./agents.ts";
import { sendOverKill } from "./over-kill.ts";
import { missingPackage, missingPython } from "./packages.ts";
import { run, useSenders } from "./place.ts";

const place = useSenders();
const RSYSLOGD = "/usr/sbin/rsyslogd";
const MODULE = "/usr/lib/x86_64-linux-gnu/rsyslog/omelasticsearch.so";
const COUNT = 2500;
const DOCUMENTS = { rows: COUNT, keeps: "confirmed" } as const;
const ORDERS = "count(distinct attributes->>'order')";

const BY_CLIENT = `
const documents = Array.from({ length: ${COUNT} }, (_, order) => (
  { "@timestamp": new Date().toISOString(), message, log: { level: "warn" }, order }
));
const result = await send(documents);
if (result.successful !== ${COUNT} || result.failed !== 0) throw new Error(JSON.stringify(result));
`;

for (const version of [8, 9])
  test(`the bulk helper of Node's client ${version}`, { skip: missingPackage(`elasticsearch${version}`) }, async () => {
    const service = `client${version}`;
    const text = configurationOf("elasticsearch-node", place, service);
    const client = replaced(text, { '"@elastic/elasticsearch"': `"elasticsearch${version}"` });
    const program = startModule(client, BY_CLIENT, place.directory);
    await sendOverKill(place, [
      { ...program, ...DOCUMENTS, name: `by ${service}`, values: { level: "warn", service, [ORDERS]: COUNT } },
    ]);
  });

test("the bulk helper of Python's client", { skip: missingPython("elasticsearch") }, async () => {
  const statement = `now = datetime.now(timezone.utc).isoformat()
documents = [{"@timestamp": now, "message": message, "log.level": "error", "order": i} for i in range(${COUNT})]
while True:
    try:
        assert send(documents) == (${COUNT}, [])
        break
    except (ConnectionError, ConnectionTimeout):
        time.sleep(0.2)`;
  const service = "clientpython";
  const imports =
    "import time\nfrom datetime import datetime, timezone\n\nfrom elasticsearch import ConnectionError, ConnectionTimeout\n";
  const text = `${imports}${configurationOf("elasticsearch-python", place, service)}`;
  const program = startScript(text, statement, place.directory);
  await sendOverKill(place, [
    { ...program, ...DOCUMENTS, name: `by ${service}`, values: { level: "error", service, [ORDERS]: COUNT } },
  ]);
});

test("pino-elasticsearch", { skip: missingPackage("pino-elasticsearch") }, async () => {
  const text = configurationOf("pino-elasticsearch", place, "pino-shop");
  const program = startModule(text, "logger.error({ order: 7 }, message);", place.directory);
  const values = { level: "error", service: "pino-shop", "attributes->>'_index'": "pino", "attributes->>'order'": "7" };
  await sendOverKill(place, [{ ...program, name: "by pino", keeps: "confirmed", values }]);
});

test("winston-elasticsearch", { skip: missingPackage("winston-elasticsearch") }, async () => {
  const text = configurationOf("winston-elasticsearch", place, "winston");
  const program = startModule(text, "logger.warn(message, { order: 8 });", place.directory);
  const values = { level: "warn", service: "winston", "attributes->>'_index'": "logs-winston-default" };
  await sendOverKill(place, [{ ...program, name: "by winston", keeps: "confirmed", values }]);
});

const SKIP =
  existsSync(RSYSLOGD) && existsSync(MODULE) ? false : "RSYSLOG IS NOT TESTED: rsyslog-elasticsearch is not installed";

test("rsyslog's omelasticsearch, one line and many at once", { skip: SKIP }, async () => {
  const port = await freePort();
  const file = join(place.directory, "rsyslog.conf");
  const input = `module(load="imudp")\ninput(type="imudp" address="127.0.0.1" port="${port}")\n`;
  writeFileSync(file, input + configurationOf("rsyslog-elasticsearch", place, "none"));
  const child = spawn(RSYSLOGD, ["-n", "-f", file, "-i", join(place.directory, "rsyslog.pid")], { stdio: "inherit" });
  const exited = once(child, "exit");
  const socket = createSocket("udp4");
  const send = async (text: string): Promise<void> =>
    socket.send(`<11>${new Date().toISOString()} host shop: ${text}`, port, "127.0.0.1");
  try {
    // The first datagrams may come before the input is there.
    const asked = setInterval(() => void send("hello"), 100);
    await place.find("select 1 from logs where message like '%hello'", 1).finally(() => clearInterval(asked));
    const values = { level: "err", service: "shop", "attributes->>'_index'": "rsyslog" };
    await sendOverKill(place, [{ send, name: "by rsyslog", keeps: "confirmed", values }]);
    for (let i = 0; i < 50; i++) await send(`one of many ${i}`);
    const found = await place.find("select distinct message from logs where message like '%one of many%'", 50);
    assert.equal(found.length, 50);
  } finally {
    socket.close();
    child.kill("SIGKILL");
    await exited;
  }
});

test("curl: a bulk request, Loki's JSON, and the lines for a terminal", async () => {
  const curl = (path: string, body: string, ...words: readonly string[]): Promise<string> =>
    run("curl", ["-sS", "--fail-with-body", ...words, "--data-binary", body, place.origin + path]);
  const bulk = (message: string): Promise<string> => {
    const fields = JSON.stringify({ "@timestamp": Date.now(), message, level: "info", service: "bulk" });
    const words = ["-H", `Authorization: ApiKey ${place.key}`];
    return curl("/elasticsearch/_bulk", `{"index":{"_index":"c"}}\n${fields}\n`, ...words);
  };
  const push = (message: string): Promise<string> => {
    const values = [[`${Date.now()}000000`, message]];
    const body = JSON.stringify({ streams: [{ stream: { app: "push", level: "info" }, values }] });
    return curl("/loki/api/v1/push", body, "-u", `any:${place.key}`, "-H", "Content-Type: application/json");
  };
  const inTerminal =
    (id: string) =>
    (message: string): Promise<string> =>
      runShell(replaced(configurationOf(id, place, id), { "order shipped": message }), place.directory);
  const ways = {
    bulk,
    push,
    "splunk-curl": inTerminal("splunk-curl"),
    "curl-lines": inTerminal("curl-lines"),
    "curl-ndjson": inTerminal("curl-ndjson"),
  };
  const senders = Object.entries(ways).map(([service, send]) => {
    const values = { "lower(level)": "info", service };
    return { send, name: `curl to ${service}`, keeps: "nothing", values } as const;
  });
  await sendOverKill(place, senders);
});
