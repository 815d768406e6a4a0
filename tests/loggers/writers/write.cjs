/** Writes the records of a file with one logger of npm, at the records' times: `node write.cjs LOGGER RECORDS`. */
const { readFileSync } = require("node:fs");

const [name, file] = process.argv.slice(2);
const records = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [ms, level, message, trace] = line.split("\t");
    return { ms: Number(ms), level, message, error: trace === "trace" ? new Error("it broke") : undefined };
  });

// The loggers read the clock only by Date, so it is replaced before they are loaded.
const RealDate = Date;
let nowMs = 0;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(nowMs);
    else super(...parts);
  }
  static now() {
    return nowMs;
  }
};

const LOGGERS = {
  pino: () => {
    const logger = require("pino")({ level: "trace" }, require("pino").destination({ dest: 1, sync: true }));
    return ({ level, message, error }) => (error ? logger[level](error, message) : logger[level](message));
  },
  winston: () => {
    const { createLogger, format, transports } = require("winston");
    const line = format.printf(
      ({ timestamp, level, message, stack }) =>
        `${timestamp} [shop] ${level}: ${message}${stack === undefined ? "" : `\n${stack}`}`,
    );
    const all = format.combine(format.timestamp(), line);
    const logger = createLogger({ level: "silly", format: all, transports: [new transports.Console()] });
    return ({ level, message, error }) => logger.log({ level, message, stack: error?.stack });
  },
  "winston json": () => {
    const { createLogger, format, transports } = require("winston");
    const all = format.combine(format.timestamp(), format.json());
    const logger = createLogger({ level: "silly", format: all, transports: [new transports.Console()] });
    return ({ level, message, error }) => logger.log({ level, message, stack: error?.stack });
  },
  bunyan: () => {
    const logger = require("bunyan").createLogger({ name: "shop", level: "trace" });
    return ({ level, message, error }) => (error ? logger[level](error, message) : logger[level](message));
  },
  log4js: () => {
    const log4js = require("log4js");
    log4js.configure({
      appenders: { out: { type: "stdout", layout: { type: "basic" } } },
      categories: { default: { appenders: ["out"], level: "trace" } },
    });
    const logger = log4js.getLogger();
    return ({ level, message, error }) => (error ? logger[level](message, error) : logger[level](message));
  },
  tslog: () => {
    const { Logger } = require("tslog");
    const logger = new Logger({ type: "pretty", stylePrettyLogs: false, prettyLogTimeZone: "UTC" });
    return ({ level, message, error }) => (error ? logger[level](message, error) : logger[level](message));
  },
};

const write = LOGGERS[name]();
for (const record of records) {
  nowMs = record.ms;
  write(record);
}
