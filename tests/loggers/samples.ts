/** Lines in the published forms of programs that are not run here, written by the test with its own times and levels. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeRecords, type Expected, type Group, type Level, type Logger } from "./logger.ts";

interface Sample {
  readonly name: string;
  readonly precisionMs: number;
  /** The form's words for its levels. Lines of a form without words have no level. */
  readonly words?: Partial<Record<Level, string>>;
  readonly line: (time: Time, word: string, message: string) => string;
}

/** The parts of a time, in UTC. */
interface Time {
  readonly ms: number;
  readonly iso: string;
  readonly date: string;
  readonly clock: string;
  readonly millis: string;
  readonly month: string;
  readonly day: string;
}

const UPPER = { debug: "DEBUG", info: "INFO", warn: "WARN", error: "ERROR" };
const LOWER = { debug: "debug", info: "info", warn: "warning", error: "error" };

const SAMPLES: readonly Sample[] = [
  {
    name: "Zookeeper",
    precisionMs: 1,
    words: UPPER,
    line: (t, word, text) =>
      `${t.date} ${t.clock},${t.millis} - ${word.padEnd(5)} [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:Election@774] - ${text}`,
  },
  {
    name: "Elasticsearch",
    precisionMs: 1,
    words: UPPER,
    line: (t, word, text) =>
      `[${t.date}T${t.clock},${t.millis}][${word.padEnd(5)}][o.e.c.r.a.DiskMonitor] [node-1] ${text}`,
  },
  {
    name: "Tomcat",
    precisionMs: 1,
    words: { debug: "FINE", info: "INFO", warn: "WARNING", error: "SEVERE" },
    line: (t, word, text) =>
      `${t.day}-${t.month}-${t.date.slice(0, 4)} ${t.clock}.${t.millis} ${word} [main] org.example.Listener.run ${text}`,
  },
  {
    name: "ClickHouse",
    precisionMs: 1,
    words: { trace: "Trace", debug: "Debug", info: "Information", warn: "Warning", error: "Error", fatal: "Fatal" },
    line: (t, word, text) =>
      `${t.date.replaceAll("-", ".")} ${t.clock}.${t.millis}000 [ 77 ] {f00d-1} <${word}> executeQuery: ${text}`,
  },
  {
    name: "log4j 1, as Spark sets it",
    precisionMs: 1000,
    words: UPPER,
    line: (t, word, text) => `${t.date.slice(2).replaceAll("-", "/")} ${t.clock} ${word} executor.Backend: ${text}`,
  },
  {
    name: "HDFS",
    precisionMs: 1000,
    words: UPPER,
    line: (t, word, text) =>
      `${t.date.slice(2).replaceAll("-", "")} ${t.clock.replaceAll(":", "")} 148 ${word} dfs.DataNode$Receiver: ${text}`,
  },
  {
    name: "logcat",
    precisionMs: 1,
    words: { trace: "V", debug: "D", info: "I", warn: "W", error: "E", fatal: "F" },
    line: (t, word, text) => `${t.date.slice(5)} ${t.clock}.${t.millis}  1702  2395 ${word} WindowManager: ${text}`,
  },
  {
    name: "klog",
    precisionMs: 1,
    words: { info: "I", warn: "W", error: "E", fatal: "F" },
    line: (t, word, text) =>
      `${word}${t.date.slice(5).replace("-", "")} ${t.clock}.${t.millis}000       1 server.go:12] ${text}`,
  },
  {
    name: "MySQL",
    precisionMs: 1,
    words: { info: "Note", warn: "Warning", error: "ERROR" },
    line: (t, word, text) => `${t.date}T${t.clock}.${t.millis}000Z 0 [${word}] [MY-010068] [Server] ${text}`,
  },
  {
    name: "PostgreSQL",
    precisionMs: 1,
    words: { debug: "DEBUG1", info: "LOG", warn: "WARNING", error: "ERROR", fatal: "FATAL" },
    line: (t, word, text) => `${t.date} ${t.clock}.${t.millis} UTC [77] app@orders ${word}:  ${text}`,
  },
  {
    name: "MongoDB",
    precisionMs: 1,
    words: { debug: "D1", info: "I", warn: "W", error: "E", fatal: "F" },
    line: (t, word, text) =>
      JSON.stringify({
        t: { $date: `${t.date}T${t.clock}.${t.millis}+00:00` },
        s: word,
        c: "NETWORK",
        id: 5,
        ctx: "conn1",
        msg: text,
      }),
  },
  {
    name: "RabbitMQ",
    precisionMs: 1,
    words: LOWER,
    line: (t, word, text) => `${t.date} ${t.clock}.${t.millis}000+00:00 [${word}] <0.33.0> ${text}`,
  },
  {
    name: "Celery",
    precisionMs: 1,
    words: { ...UPPER, warn: "WARNING", fatal: "CRITICAL" },
    line: (t, word, text) => `[${t.date} ${t.clock},${t.millis}: ${word}/MainProcess] ${text}`,
  },
  {
    name: "Rust's tracing",
    precisionMs: 1,
    words: { trace: "TRACE", ...UPPER },
    line: (t, word, text) => `${t.date}T${t.clock}.${t.millis}000Z ${word.padStart(5)} shop::orders: ${text}`,
  },
  {
    name: "Ruby",
    precisionMs: 1,
    words: { ...UPPER, fatal: "FATAL" },
    line: (t, word, text) =>
      `${word.charAt(0)}, [${t.date}T${t.clock}.${t.millis}000 #77] ${word.padStart(5)} -- shop: ${text}`,
  },
  {
    name: "RFC 5424",
    precisionMs: 1,
    words: { debug: "15", info: "14", warn: "12", error: "11" },
    line: (t, word, text) => `<${word}>1 ${t.iso} web1 shop 77 ID47 - ${text}`,
  },
  {
    name: "RFC 3164 without a priority",
    precisionMs: 1000,
    line: (t, _, text) => `${t.month} ${t.day.replace(/^0/, " ")} ${t.clock} web1 shop[77]: ${text}`,
  },
  {
    name: "Kubernetes with logfmt in it",
    precisionMs: 1,
    words: LOWER,
    line: (t, word, text) =>
      `${t.date}T${t.clock}.${t.millis}456789Z stderr F level=${word} msg="${text}" component=shop`,
  },
  {
    name: "ECS",
    precisionMs: 1,
    words: UPPER,
    line: (t, word, text) =>
      JSON.stringify({ "@timestamp": t.iso, "log.level": word, message: text, "ecs.version": "1.2.0" }),
  },
  {
    name: "seconds since 1970",
    precisionMs: 1000,
    words: UPPER,
    line: (t, word, text) => `${Math.floor(t.ms / 1000)} ${word} ${text}`,
  },
  {
    name: "milliseconds since 1970",
    precisionMs: 1,
    words: LOWER,
    line: (t, word, text) => `${t.ms} [${word}] ${text}`,
  },
  {
    name: "common log format",
    precisionMs: 1000,
    line: (t, _, text) =>
      `192.0.2.7 - - [${t.day}/${t.month}/${t.date.slice(0, 4)}:${t.clock} +0000] "GET /${text.split(" ")[0]} HTTP/1.1" 500 12`,
  },
];

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const samples: Group = {
  name: "published forms",
  prepare: async () => [...SAMPLES.map(sampleLogger), withoutDate],
};

function sampleLogger(sample: Sample): Logger {
  return {
    name: sample.name,
    write: async (directory) => {
      const { words } = sample;
      const levels = words === undefined ? (["info"] as const) : (Object.keys(words) as Level[]);
      const { expected } = writeRecords(directory, { levels, precisionMs: sample.precisionMs, traces: false });
      const lines = expected.map(({ toMs, level, id }) => {
        const word = level === null ? "" : (words?.[level] ?? "");
        return `${sample.line(timeOf(toMs), word, `${id} was taken at the warehouse`)}\n`;
      });
      const file = join(directory, "sample.log");
      writeFileSync(file, lines.join(""));
      return { file, expected: words === undefined ? expected.map((one) => ({ ...one, level: null })) : expected };
    },
  };
}

/** Times of the last hour, with the date of the file. */
const withoutDate: Logger = {
  name: "WildFly, without a date",
  write: async (directory) => {
    const { expected } = writeRecords(directory, { levels: ["info", "warn", "error"], precisionMs: 1, traces: false });
    const now = Date.now();
    const recent: Expected[] = expected.map((one, i) => {
      const ms = now - (expected.length - i) * 17_123;
      return { ...one, fromMs: ms, toMs: ms };
    });
    const words = { info: "INFO", warn: "WARN", error: "ERROR" } as Partial<Record<Level, string>>;
    const lines = recent.map(({ toMs, level, id }) => {
      const { clock, millis } = timeOf(toMs);
      return `${clock},${millis} ${(words[level ?? "info"] ?? "").padEnd(5)} [org.example.Shop] (main) ${id} was taken\n`;
    });
    const file = join(directory, "sample.log");
    writeFileSync(file, lines.join(""));
    return { file, expected: recent };
  },
};

function timeOf(ms: number): Time {
  const iso = new Date(ms).toISOString();
  return {
    ms,
    iso,
    date: iso.slice(0, 10),
    clock: iso.slice(11, 19),
    millis: iso.slice(20, 23),
    month: MONTHS[Number(iso.slice(5, 7)) - 1] ?? "",
    day: iso.slice(8, 10),
  };
}
