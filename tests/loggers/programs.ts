/** Loggers of npm, PyPI, the Go modules and Maven, installed when the test runs. */
import { copyFileSync, cpSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install, programLogger, run, type Group, type Level, type Logger } from "./logger.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const NPM = ["pino@10.4.0", "winston@3.19.0", "bunyan@2.0.5", "log4js@6.9.1", "tslog@5.2.0"];
const JARS = {
  log4j: ["org.apache.logging.log4j:log4j-core:2.24.3", "org.apache.logging.log4j:log4j-api:2.24.3"],
  logback: [
    "ch.qos.logback:logback-classic:1.5.18",
    "ch.qos.logback:logback-core:1.5.18",
    "org.slf4j:slf4j-api:2.0.17",
  ],
};

const SIX: readonly Level[] = ["trace", "debug", "info", "warn", "error", "fatal"];
const FIVE = SIX.slice(1);
const upToError = SIX.slice(0, 5);
const four = SIX.slice(1, 5);
const MS = { precisionMs: 1, traces: true };
const SECONDS = { precisionMs: 1000, traces: true };

const npm: Group = {
  name: "npm",
  prepare: async (directory) => {
    writeFileSync(join(directory, "package.json"), '{"private": true}');
    await install("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...NPM], directory);
    copyFileSync(here("writers/write.cjs"), join(directory, "write.cjs"));
    const logger = (name: string, levels: readonly Level[]): Logger =>
      programLogger(name, { levels, ...MS }, [process.execPath, join(directory, "write.cjs"), name]);
    return [
      logger("pino", SIX),
      logger("winston", four),
      logger("winston json", four),
      logger("bunyan", SIX),
      logger("log4js", SIX),
      logger("tslog", SIX),
    ];
  },
};

const python: Group = {
  name: "PyPI",
  prepare: async (directory) => {
    await install("python3", ["-m", "venv", directory], directory);
    const interpreter = join(directory, "bin/python");
    const quiet = ["-q", "--disable-pip-version-check"];
    await install(interpreter, ["-m", "pip", "install", ...quiet, "-r", here("writers/requirements.txt")], directory);
    const logger = (name: string, options: typeof MS, environment: Record<string, string> = {}): Logger =>
      programLogger(name, { levels: FIVE, ...options }, [interpreter, here("writers/write.py"), name], environment);
    const loggers = [
      logger("logging", MS),
      logger("logging basic", MS),
      logger("Django", MS),
      logger("python-json-logger", MS),
    ];
    // These accept no time.
    const clock = join(directory, "clock");
    writeFileSync(clock, "2026-01-01 00:00:00");
    const faked = {
      LD_PRELOAD: faketime() ?? "",
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: "1",
      CLOCK: clock,
    };
    if (faketime() !== null) loggers.push(logger("loguru", SECONDS, faked), logger("structlog", SECONDS, faked));
    return loggers;
  },
};

/** Returns the library of Debian's package faketime, which fakes the clock of a program. */
export function faketime(): string | null {
  return globSync("/usr/lib/*/faketime/libfaketimeMT.so.1")[0] ?? null;
}

const go: Group = {
  name: "Go",
  prepare: async (directory) => {
    cpSync(here("writers/go"), directory, { recursive: true });
    await install("go", ["build", "-o", "write", "."], directory);
    const logger = (name: string, levels: readonly Level[], precisionMs: number): Logger =>
      programLogger(name, { levels, precisionMs, traces: false }, [join(directory, "write"), name]);
    return [
      logger("slog text", four, 1),
      logger("slog JSON", four, 1),
      logger("zap console", four, 1),
      logger("zap JSON", four, 1),
      logger("zerolog", SIX, 1000),
      logger("zerolog console", SIX, 1000),
      logger("logrus", upToError, 1000),
      logger("hclog", upToError, 1),
    ];
  },
};

const java: Group = {
  name: "Java",
  prepare: async (directory) => {
    await run("java", ["-version"]);
    const logger = (name: string, file: string, precisionMs: number, levels: readonly Level[]): Logger =>
      programLogger(name, { levels, precisionMs, traces: true }, [
        "java",
        "-Duser.language=en",
        "-Duser.country=US",
        "-Duser.timezone=UTC",
        "-cp",
        join(directory, "*"),
        here(`writers/java/${file}.java`),
      ]);
    return [logger("java.util.logging", "Jul", 1000, upToError)];
  },
};

const maven: Group = {
  name: "Maven",
  prepare: async (directory) => {
    for (const artifact of Object.values(JARS).flat())
      await install(
        "mvn",
        ["-q", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${directory}`],
        directory,
      );
    const logger = (name: string, file: string, levels: readonly Level[]): Logger =>
      programLogger(name, { levels, ...MS }, [
        "java",
        "-Duser.timezone=UTC",
        "-cp",
        join(directory, "*"),
        here(`writers/java/${file}.java`),
      ]);
    return [logger("log4j 2", "Log4j", SIX), logger("Logback", "Logback", upToError)];
  },
};

export const PROGRAM_GROUPS: readonly Group[] = [npm, python, go, java, maven];
