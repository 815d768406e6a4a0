import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isContinuation } from "./continuation.ts";
import type { ParsedLine, TextEntry } from "./entry.ts";
import { createTextParser } from "./parse.ts";
import { createTimeContext, UTC, zoneOf, type TimeContext } from "./times/index.ts";

const LATEST_MS = Date.UTC(2026, 11, 31);
const CONTEXT: TimeContext = createTimeContext({ zone: UTC, latestMs: () => LATEST_MS });

function read(line: string, context: TimeContext = CONTEXT): ParsedLine {
  return createTextParser(context)(line);
}

/** A line and its parsed entry. The attributes must be exactly these. */
interface Case {
  readonly name: string;
  readonly line: string;
  readonly entry: TextEntry;
}

const CASES: readonly Case[] = [
  {
    name: "ISO 8601 with level",
    line: "2026-11-20T08:00:00.123456789Z ERROR disk is full",
    entry: { timestamp: "2026-11-20T08:00:00.123456789Z", level: "ERROR", message: "disk is full", attributes: {} },
  },
  {
    name: "ISO 8601 with offset, bracketed time and level",
    line: "[2026-11-20 08:00:00,5+02:00] [warn] low on memory",
    entry: { timestamp: "2026-11-20T06:00:00.5Z", level: "warn", message: "low on memory", attributes: {} },
  },
  {
    name: "OpenStack with the file that it was gathered from",
    line: 'api.log.1 2026-05-16 00:00:00.008 25746 INFO nova.wsgi [req-1a 113d 54fa - - -] 192.0.2.7 "GET /v2/54fa/servers?limit=2 HTTP/1.1" status: 200 len: 1893 time: 0.2477829',
    entry: {
      timestamp: "2026-05-16T00:00:00.008Z",
      level: "INFO",
      message: '192.0.2.7 "GET /v2/54fa/servers?limit=2 HTTP/1.1" status: 200 len: 1893 time: 0.2477829',
      attributes: {
        file: "api.log.1",
        pid: 25746,
        logger: "nova.wsgi",
        request_id: "req-1a",
        user_id: "113d",
        tenant_id: "54fa",
        duration_ms: 247.783,
        method: "GET",
        path: "/v2/54fa/servers",
        query: "limit=2",
        status: 200,
        bytes: 1893,
        client_ip: "192.0.2.7",
      },
    },
  },
  {
    name: "PostgreSQL",
    line: "2026-11-20 08:07:30.123 UTC [77] app@orders ERROR:  relation does not exist",
    entry: {
      timestamp: "2026-11-20T08:07:30.123Z",
      level: "ERROR",
      message: "relation does not exist",
      attributes: { pid: 77, user: "app", database: "orders" },
    },
  },
  {
    name: "Python's logging",
    line: "2026-11-20 08:00:00,250 - worker.queue - WARNING - retrying",
    entry: {
      timestamp: "2026-11-20T08:00:00.250Z",
      level: "WARNING",
      message: "retrying",
      attributes: { logger: "worker.queue" },
    },
  },
  {
    name: "Logback",
    line: "2026-11-20 08:00:00.250 [main] INFO  com.example.App - started",
    entry: {
      timestamp: "2026-11-20T08:00:00.250Z",
      level: "INFO",
      message: "started",
      attributes: { logger: "com.example.App", thread: "main" },
    },
  },
  {
    name: "Spring Boot",
    line: "2026-11-20T08:00:00.250+01:00  INFO 12 --- [app] [  main] c.e.App   : started",
    entry: {
      timestamp: "2026-11-20T07:00:00.250Z",
      level: "INFO",
      message: "started",
      attributes: { pid: 12, logger: "c.e.App", thread: "main" },
    },
  },
  {
    name: "dpkg, which has no level",
    line: "2026-11-20 08:00:00 status installed libc6:amd64 2.36",
    entry: {
      timestamp: "2026-11-20T08:00:00Z",
      level: "unspecified",
      message: "status installed libc6:amd64 2.36",
      attributes: {},
    },
  },
  {
    name: "rsyslog's and the journal's own time",
    line: "2026-11-20T08:00:00.000001+00:00 web1 sshd[9]: fatal: no keys",
    entry: {
      timestamp: "2026-11-20T08:00:00.000001Z",
      level: "fatal",
      message: "fatal: no keys",
      service: "sshd",
      attributes: { host: "web1", program: "sshd", pid: 9 },
    },
  },
  {
    name: "syslog with a failed login",
    line: "Dec  1 06:55:48 web1 sshd[24200]: Failed password for invalid user ann from 192.0.2.9 port 38926 ssh2",
    entry: {
      timestamp: "2026-12-01T06:55:48Z",
      level: "unspecified",
      message: "Failed password for invalid user ann from 192.0.2.9 port 38926 ssh2",
      service: "sshd",
      attributes: {
        host: "web1",
        program: "sshd",
        pid: 24200,
        client_ip: "192.0.2.9",
        client_port: 38926,
        user: "ann",
      },
    },
  },
  {
    name: "syslog with a priority",
    line: "<34>Oct 11 22:14:15 web1 su: 'su root' failed",
    entry: {
      timestamp: "2026-10-11T22:14:15Z",
      level: "crit",
      message: "'su root' failed",
      service: "su",
      attributes: { host: "web1", program: "su" },
    },
  },
  {
    name: "RFC 5424",
    line: '<165>1 2026-10-11T22:14:15.003Z web1 app 8710 ID47 [x@1 a="b\\]"] it happened',
    entry: {
      timestamp: "2026-10-11T22:14:15.003Z",
      level: "notice",
      message: "it happened",
      service: "app",
      attributes: { host: "web1", program: "app", pid: 8710, message_id: "ID47", structured_data: '[x@1 a="b\\]"]' },
    },
  },
  {
    name: "Apache's error log",
    line: "[Sun Dec 04 04:47:44 2005] [error] [client 192.0.2.7] File does not exist: /x",
    entry: {
      timestamp: "2005-12-04T04:47:44Z",
      level: "error",
      message: "[client 192.0.2.7] File does not exist: /x",
      attributes: { client_ip: "192.0.2.7" },
    },
  },
  {
    name: "Apache's error log since 2.4",
    line: "[Fri Sep 09 10:42:29.902022 2022] [core:warn] [pid 35708:tid 4328636416] AH00001: slow",
    entry: {
      timestamp: "2022-09-09T10:42:29.902022Z",
      level: "warn",
      message: "AH00001: slow",
      attributes: { logger: "core", pid: 35708, thread: "4328636416" },
    },
  },
  {
    name: "a combined access log with the time it took",
    line: '192.0.2.7 - ann [10/Oct/2025:13:55:36 -0700] "GET /a?b=1 HTTP/1.1" 503 2326 "https://x/" "curl/8" 0.125',
    entry: {
      timestamp: "2025-10-10T20:55:36Z",
      level: "unspecified",
      message: "GET /a?b=1 HTTP/1.1 503",
      attributes: {
        client_ip: "192.0.2.7",
        user: "ann",
        status: 503,
        bytes: 2326,
        referrer: "https://x/",
        user_agent: "curl/8",
        method: "GET",
        path: "/a",
        query: "b=1",
        duration_ms: 125,
      },
    },
  },
  {
    name: "nginx's error log",
    line: '2026/11/20 08:00:00 [error] 31#7: *5 open() "/x" failed, client: 192.0.2.7, server: _, request: "GET /x HTTP/1.1"',
    entry: {
      timestamp: "2026-11-20T08:00:00Z",
      level: "error",
      message: '*5 open() "/x" failed, client: 192.0.2.7, server: _, request: "GET /x HTTP/1.1"',
      attributes: { pid: 31, thread: "7", method: "GET", path: "/x", client_ip: "192.0.2.7" },
    },
  },
  {
    name: "klog",
    line: "W1120 08:00:00.123456    1234 kubelet.go:123] pod is slow",
    entry: {
      timestamp: "2026-11-20T08:00:00.123456Z",
      level: "warning",
      message: "pod is slow",
      attributes: { pid: 1234, source: "kubelet.go:123" },
    },
  },
  {
    name: "milliseconds since 1970",
    line: "1700000000123 ERROR it broke",
    entry: { timestamp: "2023-11-14T22:13:20.123Z", level: "ERROR", message: "it broke", attributes: {} },
  },
  {
    name: "seconds since 1970 with a fraction",
    line: "1700000000.5 it works",
    entry: { timestamp: "2023-11-14T22:13:20.5Z", level: "unspecified", message: "it works", attributes: {} },
  },
  {
    name: "auditd",
    line: "type=USER_AUTH msg=audit(1364481363.243:24287): pid=1 res=failed",
    entry: {
      timestamp: "2013-03-28T14:36:03.243Z",
      level: "unspecified",
      message: "pid=1 res=failed",
      attributes: { type: "USER_AUTH" },
    },
  },
  {
    name: "pino",
    line: '{"level":50,"time":1700000000123,"msg":"it broke","code":7}',
    entry: { timestamp: "2023-11-14T22:13:20.123Z", level: "error", message: "it broke", attributes: { code: 7 } },
  },
  {
    name: "logfmt",
    line: 'time=2026-11-20T08:00:00Z level=warn msg="it \\"works\\"" status=200',
    entry: { timestamp: "2026-11-20T08:00:00Z", level: "warn", message: 'it "works"', attributes: { status: "200" } },
  },
];

describe("plain log lines", () => {
  for (const { name, line, entry } of CASES) test(name, () => assert.deepEqual(read(line), entry));

  test("one parser reads a file in which formats change from line to line", () => {
    const parse = createTextParser(CONTEXT);
    for (const { line, entry } of [...CASES, ...CASES.toReversed()]) assert.deepEqual(parse(line), entry);
  });

  for (const line of [
    "",
    "hello",
    "2026-02-30 08:00:00 no such day",
    "2026-01-01 25:00:00 no such hour",
    "Foo 10 06:55:46 host x: y",
    "{broken",
    "12345 x",
  ]) {
    test(`${JSON.stringify(line)} has no time that can be read`, () => assert.equal(read(line).timestamp, null));
  }

  test("continuation lines are recognized", () => {
    for (const line of [
      "    at f (x.js:1)",
      "\tat f",
      "Caused by: x",
      "Traceback (most recent call last):",
      "ValueError: x",
    ]) {
      assert.equal(isContinuation(line), true, line);
    }
    for (const line of ["hello", "Error", ""]) assert.equal(isContinuation(line), false, line);
  });

  test("a hostile line of 256 KiB is read in well under a second", () => {
    for (const part of ["a ", "1:", '"GET ', "[", "a=", "1.1.1.1 ", "\\"]) {
      const startedMs = performance.now();
      read(part.repeat(131_072).slice(0, 262_144));
      read(`2026-11-20T08:00:00Z ${part.repeat(131_072).slice(0, 262_144)}`);
      const elapsedMs = performance.now() - startedMs;
      assert.ok(elapsedMs < 30_000, `${JSON.stringify(part)} took ${elapsedMs} ms`);
    }
  });
});

describe("times without a year", () => {
  const latestMs = Date.UTC(2026, 0, 5, 12);
  const year = (month: number, day: number): number =>
    createTimeContext({ zone: UTC, latestMs: () => latestMs }).yearOf(month, day);

  test("a day before the last write of the file is in the year of that write", () => assert.equal(year(1, 4), 2026));
  test("a day after the last write is in the year before", () => assert.equal(year(12, 31), 2025));
  test("a day may be one day ahead, because clocks and time zones differ", () => assert.equal(year(1, 6), 2026));
});

describe("time zones", () => {
  const at = (zone: string, line: string): string | null =>
    read(line, { ...CONTEXT, zone: zoneOf(zone) ?? UTC }).timestamp;

  test("a fixed offset", () => assert.equal(at("+05:30", "2026-11-20 08:00:00 x"), "2026-11-20T02:30:00Z"));
  test("winter and summer of a named zone", () => {
    assert.equal(at("Europe/Berlin", "2026-01-20 08:00:00 x"), "2026-01-20T07:00:00Z");
    assert.equal(at("Europe/Berlin", "2026-07-20 08:00:00 x"), "2026-07-20T06:00:00Z");
  });
  test("times before and after the change to summer or winter time are right", () => {
    assert.equal(at("Europe/Berlin", "2026-03-29 01:59:59 x"), "2026-03-29T00:59:59Z");
    assert.equal(at("Europe/Berlin", "2026-03-29 03:00:00 x"), "2026-03-29T01:00:00Z");
    assert.equal(at("America/New_York", "2026-11-01 03:00:00 x"), "2026-11-01T08:00:00Z");
  });
  test("an offset on the line takes precedence", () =>
    assert.equal(at("Europe/Berlin", "2026-01-20 08:00:00Z x"), "2026-01-20T08:00:00Z"));
  test("an unknown zone", () => assert.equal(zoneOf("Mars/Olympus"), null));
});
