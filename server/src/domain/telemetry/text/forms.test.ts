/** One line of each logger with a published format, with the time and the level that the reader must find. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTextParser } from "./parse.ts";
import { createTimeContext, UTC } from "./times/index.ts";

const LATEST_MS = Date.UTC(2026, 10, 23, 8, 2);
const parse = (line: string): { time: string | null; level: string } => {
  const context = createTimeContext({ zone: UTC, latestMs: () => LATEST_MS });
  const { timestamp, level } = createTextParser(context)(line);
  return { time: timestamp, level };
};

const NOON = "2026-11-22T12:00:00Z";
const NOON_MS = "2026-11-22T12:00:00.123Z";
const NOON_US = "2026-11-22T12:00:00.123456Z";

const LINES: readonly [logger: string, line: string, time: string, level: string][] = [
  [
    "Zookeeper",
    "2026-11-22 12:00:00,123 - WARN  [QuorumPeer[myid=1]/0:0:0:0:2181:Election@774] - Late",
    NOON_MS,
    "WARN",
  ],
  ["Go's slog, default", "2026/11/22 12:00:00 WARN slow query ms=12", NOON, "WARN"],
  ["Go's log", "2026/11/22 12:00:00 main.go:12: it works", NOON, "unspecified"],
  ["Go's log with a prefix", "billing: 2026/11/22 12:00:00.123456 it works", NOON_US, "unspecified"],
  ["logfmt behind a time", '2026-11-22T12:00:00Z level=warning msg="disk is full" used=97', NOON, "warning"],
  ["logfmt", 'ts=2026-11-22T12:00:00.123Z caller=main.go:1 level=error msg="no route"', NOON_MS, "error"],
  ["loguru", "2026-11-22 12:00:00.123 | WARNING  | __main__:<module>:3 - careful", NOON_MS, "WARNING"],
  ["ECS", '{"@timestamp":"2026-11-22T12:00:00.123Z","log.level":"WARN","message":"x"}', NOON_MS, "WARN"],
  ["ECS, nested", '{"@timestamp":"2026-11-22T12:00:00.123Z","log":{"level":"WARN"},"message":"x"}', NOON_MS, "WARN"],
  ["Ruby's JSON", '{"severity":"ERROR","time":"2026-11-22T12:00:00.123Z","message":"x"}', NOON_MS, "ERROR"],
  ["Ruby", "E, [2026-11-22T12:00:00.123456 #77] ERROR -- web: it broke", NOON_US, "ERROR"],
  ["Django", "ERROR 2026-11-22 12:00:00,123 views 77 1402 Internal Server Error", NOON_MS, "ERROR"],
  ["Django's server", '[22/Nov/2026 12:00:00] "GET /error HTTP/1.1" 500 5', NOON, "unspecified"],
  ["Elasticsearch", "[2026-11-22T12:00:00,123][WARN ][o.e.c.r.a.DiskMonitor] [node-1] high", NOON_MS, "WARN"],
  ["Tomcat", "22-Nov-2026 12:00:00.123 SEVERE [main] org.example.Listener.run it broke", NOON_MS, "SEVERE"],
  [
    "HAProxy by syslog",
    "Nov 22 12:00:00 lb haproxy[7]: 192.0.2.7:50 [22/Nov/2026:12:00:00.1] a b/c 0/0 200",
    NOON,
    "unspecified",
  ],
  ["HAProxy by UDP, without a host", "<134>Nov 22 12:00:00 haproxy[7]: 192.0.2.7:50 a b/c 200", NOON, "info"],
  ["HAProxy at its start", "[WARNING] 326/120000 (77) : config : no timeouts", NOON, "WARNING"],
  ["Redis", "77:M 22 Nov 2026 12:00:00.123 # Out of memory", NOON_MS, "warning"],
  ["Redis, notice", "77:M 22 Nov 2026 12:00:00.123 * Ready", NOON_MS, "notice"],
  ["ClickHouse", "2026.11.22 12:00:00.123456 [ 77 ] {a-b} <Error> executeQuery: Code: 60", NOON_US, "Error"],
  ["log4j 1", "26/11/22 12:00:00 INFO executor.Backend: started", NOON, "INFO"],
  ["logcat", "11-22 12:00:00.123  1702  2395 W WindowManager: late", NOON_MS, "warning"],
  ["zap's console", '2026-11-22T12:00:00.123Z\tERROR\tweb\tmain.go:12\tit broke\t{"code": 7}', NOON_MS, "ERROR"],
  ["zap's JSON", '{"level":"error","ts":1795348800.123,"caller":"main.go:1","msg":"x"}', NOON_MS, "error"],
  [
    "Python's JSON formatter",
    '{"asctime": "2026-11-22 12:00:00,123", "levelname": "ERROR", "message": "x"}',
    NOON_MS,
    "ERROR",
  ],
  ["Python's basicConfig", "2026-11-22 12:00:00,123:ERROR:root:it broke", NOON_MS, "ERROR"],
  ["epoch seconds", "1795348800 ERROR it broke", NOON, "ERROR"],
  ["epoch milliseconds", "1795348800123 [warn] slow", NOON_MS, "warn"],
  ["epoch behind other fields", "13473 node-235 action error 1795348800 1 halt", NOON, "unspecified"],
  ["Squid", "1795348800.123    100 192.0.2.7 TCP_MISS/200 5 GET http://example.com/", NOON_MS, "unspecified"],
  ["no date", "12:00:00,123 ERROR [org.example] (main) it broke", "2026-11-22T12:00:00.123Z", "ERROR"],
  ["no date, today", "08:00:00.123 [error] it broke", "2026-11-23T08:00:00.123Z", "error"],
  ["zerolog's console", "8:00AM WRN slow code=7", "2026-11-23T08:00:00Z", "WRN"],
  ["no year", "Nov 22 12:00:00 web1 app[7]: it works", NOON, "unspecified"],
  ["no year, of last year", "Dec 24 12:00:00 web1 app[7]: error: it broke", "2025-12-24T12:00:00Z", "error"],
  ["Tornado", "[E 2026-11-22 12:00:00.123 web:12] it broke", NOON_MS, "error"],
  ["Celery", "[2026-11-22 12:00:00,123: WARNING/MainProcess] slow", NOON_MS, "WARNING"],
  ["gunicorn", "[2026-11-22 12:00:00 +0000] [77] [INFO] Starting", NOON, "INFO"],
  ["Airflow", "[2026-11-22T12:00:00.123+0000] {dag.py:12} ERROR - it broke", NOON_MS, "ERROR"],
  ["Monolog", "[2026-11-22T12:00:00.123456+00:00] app.ERROR: it broke {} []", NOON_US, "ERROR"],
  [
    "Monolog's JSON",
    '{"message":"x","level":400,"level_name":"ERROR","datetime":"2026-11-22T12:00:00+00:00"}',
    NOON,
    "ERROR",
  ],
  ["MySQL", "2026-11-22T12:00:00.123456Z 0 [Warning] [MY-010068] [Server] self signed", NOON_US, "Warning"],
  ["MariaDB", "2026-11-22  2:00:00 0 [Note] Reading of all", "2026-11-22T02:00:00Z", "Note"],
  ["MySQL 5.5", "261122  2:00:00 [ERROR] it broke", "2026-11-22T02:00:00Z", "ERROR"],
  ["PHP", "[22-Nov-2026 12:00:00 UTC] PHP Warning:  Undefined variable", NOON, "Warning"],
  ["MongoDB before 4.4", "2026-11-22T12:00:00.123+0000 W NETWORK  [conn1] slow", NOON_MS, "warning"],
  ["MongoDB", '{"t":{"$date":"2026-11-22T12:00:00.123+00:00"},"s":"W","c":"NETWORK","msg":"slow"}', NOON_MS, "warning"],
  ["Rust's tracing", "2026-11-22T12:00:00.123456Z  WARN app::web: slow", NOON_US, "WARN"],
  ["Rust's env_logger", "[2026-11-22T12:00:00Z WARN  app::web] slow", NOON, "WARN"],
  ["HashiCorp's hclog", "2026-11-22T12:00:00.123Z [WARN]  agent: slow", NOON_MS, "WARN"],
  ["etcd 3.3", "2026-11-22 12:00:00.123456 W | etcdserver: slow", NOON_US, "warning"],
  ["Serilog", "2026-11-22 12:00:00.123 +00:00 [WRN] slow", NOON_MS, "WRN"],
  ["Serilog's compact JSON", '{"@t":"2026-11-22T12:00:00.123Z","@mt":"slow","@l":"Warning"}', NOON_MS, "Warning"],
  ["NLog", "2026-11-22 12:00:00.123|WARN|App.Web|slow", NOON_MS, "WARN"],
  ["structlog", "2026-11-22 12:00:00 [warning  ] slow                           code=7", NOON, "warning"],
  ["winston", "2026-11-22T12:00:00.123Z [web] warn: slow", NOON_MS, "warn"],
  ["log4js", "[2026-11-22T12:00:00.123] [WARN] default - slow", NOON_MS, "WARN"],
  ["WebLogic", "####<Nov 22, 2026 12:00:00 PM UTC> <Notice> <Server> <host> up", NOON, "Notice"],
  ["Cassandra", "WARN  [main] 2026-11-22 12:00:00,123 Daemon.java:480 - slow", NOON_MS, "WARN"],
  ["Kafka", "[2026-11-22 12:00:00,123] WARN slow (kafka.server.KafkaServer)", NOON_MS, "WARN"],
  ["Jenkins", "2026-11-22 12:00:00.123+0000 [id=22]\tWARNING\thudson.WebAppMain#run: slow", NOON_MS, "WARNING"],
  ["RabbitMQ", "2026-11-22 12:00:00.123456+00:00 [error] <0.33.0> it broke", NOON_US, "error"],
  [
    "Docker's json-file",
    '{"log":"ERROR it broke\\n","stream":"stderr","time":"2026-11-22T12:00:00.123Z"}',
    NOON_MS,
    "ERROR",
  ],
  ["Kubernetes", '2026-11-22T12:00:00.123456Z stderr F {"level":"warn","msg":"slow"}', NOON_US, "warn"],
  ["GELF", '{"version":"1.1","short_message":"x","timestamp":1795348800.123,"level":3}', NOON_MS, "err"],
  [
    "journalctl's JSON",
    '{"__REALTIME_TIMESTAMP":"1795348800123456","PRIORITY":"4","MESSAGE":"slow"}',
    NOON_US,
    "warning",
  ],
  [
    "loguru's JSON",
    '{"text":"x","record":{"time":{"repr":"2026-11-22 12:00:00.123+00:00"},"level":{"name":"ERROR"},"message":"x"}}',
    NOON_MS,
    "ERROR",
  ],
  [
    "log4j 2's JSON",
    '{"instant":{"epochSecond":1795348800,"nanoOfSecond":123000000},"level":"WARN","message":"x"}',
    "2026-11-22T12:00:00.123000000Z",
    "WARN",
  ],
  ["Cisco", "*Nov 22 12:00:00.123: %SYS-3-CONFIG_I: it broke", NOON_MS, "err"],
  ["HDFS", "261122 120000 148 WARN dfs.DataNode$Receiver: slow", NOON, "WARN"],
  [
    "BlueGene",
    "- 1795348800 2026.11.22 R02-M1 2026-11-22-04.00.00.675872 R02-M1 RAS KERNEL FATAL halted",
    NOON,
    "FATAL",
  ],
  [
    "Thunderbird",
    "- 1795348800 2026.11.22 dn228 Nov 22 04:00:00 dn228/dn228 crond[2915]: session closed",
    NOON,
    "unspecified",
  ],
  ["Windows' CBS", "2026-11-22 12:00:00, Info                  CBS    Loaded", NOON, "Info"],
  ["Proxifier", "[11.22 12:00:00] chrome.exe - example.com:443 close", NOON, "unspecified"],
  ["HealthApp", "20261122-12:0:0:47|Step_LSC|30002312|changed 3579", "2026-11-22T12:00:00.047Z", "unspecified"],
  ["date(1)", "Sun Nov 22 12:00:00 UTC 2026 it works", NOON, "unspecified"],
  ["RFC 1123", "Sun, 22 Nov 2026 12:00:00 GMT it works", NOON, "unspecified"],
  ["American", "11/22/2026 12:00:00 PM - ERROR - it broke", NOON, "ERROR"],
  ["German", "22.11.2026 13:00:00 CET FEHLER", NOON, "unspecified"],
  ["glog since 0.6", "W20261122 12:00:00.123456    77 main.cc:12] slow", NOON_US, "warning"],
];

describe("the time and the level are found in lines of each logger", () => {
  for (const [logger, line, time, level] of LINES)
    test(logger, () => assert.deepEqual(parse(line), { time, level }, line));
});

describe("no level is guessed", () => {
  const unspecified = (message: string): void =>
    assert.equal(parse(`2026-11-22 12:00:00 ${message}`).level, "unspecified", message);

  test("a level word inside the message is not a level", () => {
    unspecified("the job ended without an ERROR");
    unspecified("it was a fatal mistake: nothing works");
    unspecified("Error handling was improved by this release");
    unspecified('"GET /error?level=info HTTP/1.1" 200');
    unspecified("log file was rotated");
    unspecified("information was sent");
    unspecified("status installed libinfo:amd64 2.36");
  });
});

describe("the place of a time", () => {
  test("a time is found up to the 80th character, and not after it", () => {
    assert.equal(parse(`${"#".repeat(79)}2026-11-22 12:00:00 x`).time, NOON);
    assert.equal(parse(`${"#".repeat(80)}2026-11-22 12:00:00 x`).time, null);
  });

  for (const line of [
    "order 12345678901 was paid",
    "from 192.0.2.7:8080 to 00:1b:44:11:3a:b7",
    "we wait until 08:00:00 for it",
    "version 2026.11.22 of 10/10",
    "9999999999 is too far",
    "2026-13-22 12:00:00 has an impossible month",
  ]) {
    test(`${JSON.stringify(line)} has no time`, () => assert.equal(parse(line).time, null));
  }

  test("a date takes precedence over an earlier number that could be a Unix time", () =>
    assert.equal(parse("id 1234567890 2026-11-22 12:00:00 x").time, NOON));
});
