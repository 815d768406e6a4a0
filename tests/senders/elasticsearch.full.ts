/** Elasticsearch's bulk requests: the official clients, the transports of pino and winston, and rsyslog. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../fixtures/ports.ts";
import { missingPackage, runNode } from "./packages.ts";
import { assertNow, run, useSenders } from "./place.ts";

const place = useSenders();
const RSYSLOGD = "/usr/sbin/rsyslogd";
const MODULE = "/usr/lib/x86_64-linux-gnu/rsyslog/omelasticsearch.so";

test(
  "the bulk helpers of clients 8 and 9, pino-elasticsearch and winston-elasticsearch",
  { skip: missingPackage("elasticsearch8") },
  async () => {
    await runNode("elasticsearch.mjs", { ORIGIN: place.origin, KEY: place.key });
    for (const version of [8, 9]) {
      const [row] = await place.sql(
        `select count(*) as n, count(distinct attributes->>'order') as orders, any_value(level) as level, max(timestamp) as timestamp from logs where service = 'client-${version}'`,
      );
      assert.deepEqual([Number(row?.["n"]), Number(row?.["orders"]), row?.["level"]], [2500, 2500, "warn"]);
      assertNow([row ?? {}]);
    }
    const found = await place.find(
      "select timestamp, message, level, service, attributes->>'_index' as name from logs where message in ('by pino', 'by winston') order by message",
      2,
    );
    assert.deepEqual(
      found.map(({ message, level, service, name }) => [message, level, service, name]),
      [
        ["by pino", "error", "pino-shop", "pino"],
        ["by winston", "warn", null, "logs-winston"],
      ],
    );
    assertNow(found);
  },
);

function configurationOf(port: number): string {
  return `
module(load="imudp")
module(load="omelasticsearch")
input(type="imudp" address="127.0.0.1" port="${port}")
template(name="ecs" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
  property(outname="log.level" name="syslogseverity-text" format="jsonf")
  property(outname="service.name" name="programname" format="jsonf")
}
action(type="omelasticsearch" server="${place.origin}/elasticsearch" template="ecs" searchIndex="rsyslog" searchType=""
  bulkmode="on" uid="any" pwd="${place.key}" action.resumeRetryCount="-1" action.resumeInterval="1"
  queue.type="LinkedList" queue.dequeueBatchSize="100")
`;
}

const SKIP =
  existsSync(RSYSLOGD) && existsSync(MODULE) ? false : "RSYSLOG IS NOT TESTED: rsyslog-elasticsearch is not installed";

test("rsyslog's omelasticsearch, one line and many at once", { skip: SKIP }, async () => {
  const port = await freePort();
  const file = join(place.directory, "rsyslog.conf");
  writeFileSync(file, configurationOf(port));
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

test("curl: a bulk request, Loki's JSON, Splunk's events, and raw lines", async () => {
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
  const event = JSON.stringify({ time: now / 1000, event: "curl splunk", source: "curl", fields: { level: "warn" } });
  await curl("/splunk/services/collector", event, "-H", `Authorization: Splunk ${place.key}`);
  const line = `${new Date(now).toISOString()} warn: curl raw`;
  await curl("/raw/logs?service=curl", line, "-H", `X-Api-Key: ${place.key}`);
  const found = await place.sql(
    "select timestamp, message, level, service from logs where service = 'curl' order by message",
  );
  assert.deepEqual(
    found.map(({ message, level }) => [message, level]),
    ["bulk", "loki", "raw", "splunk"].map((name) => [`curl ${name}`, "warn"]),
  );
  assertNow(found);
});
