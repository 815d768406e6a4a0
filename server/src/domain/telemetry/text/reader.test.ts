import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkTextOptions, createTextReader, UTC, type TextEntry, type TextOptions } from "./index.ts";

const NOW = "2026-11-23T08:00:00.000Z";

interface Read {
  readonly entries: TextEntry[];
  readonly left: [line: number, why: string][];
  readonly counts: Readonly<Record<string, number>>;
}

function read(lines: readonly string[], options: Partial<TextOptions> = {}): Read {
  const entries: TextEntry[] = [];
  const left: [number, string][] = [];
  const fixed = { zone: UTC, latestMs: () => Date.parse(NOW), nowIso: () => NOW };
  const reader = createTextReader(
    { ...fixed, ...options },
    { entry: (entry) => entries.push(entry), left: (line, why) => left.push([line, why]) },
  );
  for (const [i, text] of lines.entries()) reader.read({ text, number: i + 1, cut: false });
  reader.flush();
  const { entries: count, joined, blank, left_out } = reader.counts;
  assert.equal(count + joined + blank + left_out, lines.length, "every line is counted once");
  assert.equal(left.length, left_out);
  return { entries, left, counts: { ...reader.counts } };
}

const messages = ({ entries }: Read): string[] => entries.map((entry) => entry.message);
const FIRST = "2026-11-22 12:00:00 ERROR it broke";

describe("continuation lines", () => {
  const traces: Readonly<Record<string, readonly string[]>> = {
    Java: [
      "java.lang.IllegalStateException: boom",
      "\tat com.example.App.run(App.java:12)",
      "Caused by: java.io.IOException: gone",
      "\t... 3 more",
    ],
    Python: [
      "Traceback (most recent call last):",
      '  File "app.py", line 3, in run',
      "    raise Custom()",
      "app.Custom",
      "During handling of the above exception, another exception occurred:",
      "ValueError: time data '2026-11-22 12:00:01' does not match",
    ],
    Node: ["Error: boom", "    at run (app.js:3:9) {", "  code: 7,", "}"],
    Go: ["goroutine 1 [running]:", "main.run(0x1, 0x2)", "\t/src/main.go:12 +0x1d", "exit status 2"],
    zap: ["main.main", "\t/src/main.go:12", "runtime.main", "\t/go/src/runtime/proc.go:283"],
    ".NET": [
      "System.InvalidOperationException: boom",
      "   at App.Run() in App.cs:line 12",
      "--- End of inner stack trace ---",
    ],
    PHP: ["Stack trace:", "#0 /app/index.php(3): run()", "#1 {main}", "  thrown in /app/index.php on line 3"],
  };
  for (const [language, trace] of Object.entries(traces)) {
    for (const onNoTime of [undefined, "reject", "now", "previous"] as const) {
      test(`a stack trace of ${language}, --on-no-time ${onNoTime ?? "not given"}`, () => {
        const found = read([FIRST, ...trace, "2026-11-22 12:00:01 INFO next"], { onNoTime });
        assert.deepEqual(messages(found), [["it broke", ...trace].join("\n"), "next"]);
        assert.equal(found.counts["joined"], trace.length);
      });
    }
  }

  test("a line with spaces before its own time is a separate entry", () =>
    assert.equal(
      read([FIRST, "  2026-11-22 12:00:01 INFO next", " INFO [main] 2026-11-22 12:00:02 x"]).entries.length,
      3,
    ));

  test("both lines of java.util.logging are one entry", () => {
    const found = read(["Nov 22, 2026 12:00:00 PM com.example.App run", "WARNING: slow", "and late"]);
    assert.deepEqual(found.entries, [
      {
        timestamp: "2026-11-22T12:00:00Z",
        level: "WARNING",
        message: "slow\nand late",
        attributes: { logger: "com.example.App" },
      },
    ]);
  });

  test("a sentence that begins with a level word is not a separate entry", () =>
    assert.deepEqual(messages(read([FIRST, "error stack:", "  at run"])), ["it broke\nerror stack:\n  at run"]));

  test("lines that are dropped because the message is full are counted", () => {
    const found = read([FIRST, ...Array.from({ length: 30 }, () => ` ${"y".repeat(4000)}`)]);
    assert.equal(found.entries.length, 1);
    assert.ok(found.left.length > 0 && found.left.every(([, why]) => why === "message_full"));
  });
});

describe("lines without a time", () => {
  const lines = ["begin", FIRST, "second line", "WARN no time", ""];

  test("join: they are joined to the line before; without one, or with a level, they are left out", () => {
    const found = read(lines);
    assert.deepEqual(messages(found), ["it broke\nsecond line"]);
    assert.deepEqual(found.left, [
      [1, "no_time"],
      [4, "no_time"],
    ]);
    assert.equal(found.counts["blank"], 1);
  });

  test("reject: they are left out", () => {
    const found = read(lines, { onNoTime: "reject" });
    assert.deepEqual(
      found.left.map(([line]) => line),
      [1, 3, 4],
    );
  });

  test("previous: they have the time of the entry before; the first has none", () => {
    const found = read(lines, { onNoTime: "previous" });
    assert.deepEqual(found.left, [[1, "no_time"]]);
    assert.deepEqual(
      found.entries.map(({ timestamp, level, message }) => [timestamp, level, message]),
      [
        ["2026-11-22T12:00:00Z", "ERROR", "it broke"],
        ["2026-11-22T12:00:00Z", "unspecified", "second line"],
        ["2026-11-22T12:00:00Z", "WARN", "no time"],
      ],
    );
    assert.equal(found.counts["time_from_previous"], 2);
  });

  test("now: they have the time of their arrival", () => {
    const found = read(lines, { onNoTime: "now" });
    assert.deepEqual(
      found.entries.map(({ timestamp }) => timestamp),
      [NOW, "2026-11-22T12:00:00Z", NOW, NOW],
    );
    assert.equal(found.counts["time_from_arrival"], 3);
  });
});

describe("a pattern", () => {
  const pattern = String.raw`^<(?<service>\w+)/(?P<shard>\d+)> (?<time>\S+) (?<level>\w*)\| (?<message>.*)`;

  test("its groups are the entry's fields, other groups are attributes", () =>
    assert.deepEqual(read(["<web/7> 2026-11-22T12:00:00Z ODD| it works"], { pattern }).entries, [
      {
        timestamp: "2026-11-22T12:00:00Z",
        level: "ODD",
        message: "it works",
        service: "web",
        attributes: { shard: "7" },
      },
    ]));

  test("an empty level is unspecified", () =>
    assert.equal(
      read(["<web/7> 1795348800| ERROR"], { pattern: "(?<time>\\d+)(?<level>x?)\\| (?<message>.*)" }).entries[0]?.level,
      "unspecified",
    ));

  test("fields without a group are read from the line", () => {
    const [entry] = read(["[web] 2026-11-22 12:00:00 WARN slow"], {
      pattern: "^\\[(?<service>\\w+)\\] (?<message>.*)",
    }).entries;
    assert.deepEqual(
      { ...entry, attributes: {} },
      {
        timestamp: "2026-11-22T12:00:00Z",
        level: "WARN",
        message: "2026-11-22 12:00:00 WARN slow",
        service: "web",
        attributes: {},
      },
    );
  });

  test("a line that does not match has no time", () => {
    const found = read(["<web/7> 2026-11-22T12:00:00Z INFO| a", "2026-11-22T12:00:01Z INFO b"], {
      pattern,
      onNoTime: "reject",
    });
    assert.deepEqual(found.left, [[2, "no_time"]]);
  });

  test("with a time format", () => {
    const options = { pattern: "^(?<time>.{17}) (?<message>.*)", timeFormat: "%d.%m.%y %H-%M-%S" };
    assert.equal(read(["22.11.26 12-00-00 x"], options).entries[0]?.timestamp, "2026-11-22T12:00:00Z");
  });

  test("an invalid pattern is reported", () => {
    assert.match(checkTextOptions({ pattern: "(" })?.reason ?? "", /Unterminated group/);
    assert.match(checkTextOptions({ pattern: "(?<level>x)" })?.reason ?? "", /neither a group \(\?<time>/);
    assert.equal(checkTextOptions({ pattern: "(?<message>x)" }), null);
  });
});

describe("a time format", () => {
  const NOON = "2026-11-22T12:00:00Z";
  const cases: readonly [format: string, line: string, time: string][] = [
    ["%Y-%m-%d %H:%M:%S.%f", "2026-11-22 12:00:00.123456 x", "2026-11-22T12:00:00.123456Z"],
    ["%d/%b/%Y:%H:%M:%S %z", "a [22/Nov/2026:13:00:00 +0100] x", NOON],
    ["%A, %d %B %Y %I:%M %p", "Sunday, 22 November 2026 12:00 PM x", NOON],
    ["%a %b %e %T %Y", "Sun Nov 22 12:00:00 2026 x", NOON],
    ["%D %R", "11/22/26 12:00 x", NOON],
    ["%F %T %Z", "2026-11-22 13:00:00 Europe/Berlin x", NOON],
    ["%F %T %Z", "2026-07-22 14:00:00 CEST x", "2026-07-22T12:00:00Z"],
    ["%Y %j %H%M%S", "2026 326 120000 x", NOON],
    ["%y%m%d %H:%M:%S.%L", "261122 12:00:00.123 x", "2026-11-22T12:00:00.123Z"],
    ["@%s.%N", "@1795348800.123456789 x", "2026-11-22T12:00:00.123456789Z"],
    ["%b %d %H:%M", "Nov 22 12:00 x", NOON],
    ["%H h %M", "07 h 30 x", "2026-11-23T07:30:00Z"],
    ["%d.%m.%y um %H Uhr 100%%", "22.11.26 um 12 Uhr 100% x", NOON],
  ];
  for (const [timeFormat, line, time] of cases)
    test(`${timeFormat}: ${line}`, () => assert.equal(read([line], { timeFormat }).entries[0]?.timestamp, time));

  test("other forms and impossible times are not read", () => {
    for (const line of ["2026-11-22 12:00:00 x", "30/02/2026 x", `${"#".repeat(80)}22/11/2026 x`])
      assert.deepEqual(read([line], { timeFormat: "%d/%m/%Y" }).left, [[1, "no_time"]], line);
  });

  test("the level is found after the time", () =>
    assert.equal(read(["22/11/2026 [WARN] x"], { timeFormat: "%d/%m/%Y" }).entries[0]?.level, "WARN"));

  for (const [timeFormat, reason] of [
    ["%Y-%q", /%q is not a known directive.*%Y/],
    ["%Y %", /ends in a %/],
    ["%d", /day .* without a month/],
    ["%Y", /year without a month/],
    ["x", /neither a date nor an hour/],
    ["%H:%M %T", /%H repeats/],
  ] as const) {
    test(`${JSON.stringify(timeFormat)} is refused`, () => {
      const wrong = checkTextOptions({ timeFormat });
      assert.equal(wrong?.option, "time-format");
      assert.match(wrong?.reason ?? "", reason);
    });
  }
});

test("hostile lines of 64 KiB are read in linear time", () => {
  const beginnings = [
    "",
    "at ",
    "[",
    "{",
    "Error",
    "2026-11-22T12:00:00Z ",
    "Nov 22 12:00:00 host ",
    "a.log 12:00:00 ",
  ];
  const parts = [
    "a ",
    "a.",
    "aa",
    "9",
    "1:",
    "<",
    "[",
    "[a] ",
    "a=",
    '="',
    "ERROR ",
    "error: ",
    "node=a ",
    '] "',
    " user=",
    "for a ",
  ];
  const usedMs = (chars: number): number => {
    const before = process.cpuUsage();
    for (const beginning of beginnings)
      for (const part of parts) read([FIRST, (beginning + part.repeat(chars)).slice(0, chars)]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  usedMs(1024);
  // Quadratic time would be 64 times as much.
  assert.ok(usedMs(65_536) < 24 * Math.max(50, usedMs(8192)));
});
