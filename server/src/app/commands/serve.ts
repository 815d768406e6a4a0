import { flushCompileCache } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { ensureSetupLink } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import { buildApp, type App } from "../build.ts";
import type { Config } from "../config.ts";
import { writeFatalNote } from "../fatal-note.ts";
import type { FatalPart } from "../fatal.ts";
import { createLog } from "../log/index.ts";
import { createOwnTelemetry, type OwnTelemetry } from "../own-telemetry/index.ts";
import { announceServer, withdrawServer } from "../running.ts";
import { CONFIG_OPTION, command, configOf, ExitCode, noMore, settingOptions } from "./command.ts";

const USAGE = `
Usage: mooring serve [--data-dir DIR] [--listen HOST:PORT] [options]

Runs the server until SIGTERM or SIGINT, then finishes the running requests; a second signal ends it at once. SIGHUP reads the log level and the certificates again. It prints addresses to
stdout, and log lines to stderr, as text on a terminal and as JSON otherwise. Each setting can be in a JSON file, a variable, or an option here; the option wins.

  mooring serve --data-dir ./data
  mooring serve --data-dir /var/lib/mooring --listen 0.0.0.0:8080 --portal-url https://mooring.example.com
  mooring serve --config /etc/mooring.json --log-level warn
`;

export const serve = command(USAGE, [CONFIG_OPTION, ...settingOptions({ listed: "all" })], async (parsed) => {
  noMore(parsed.positionals);
  const config = configOf(parsed);
  // V8 otherwise has a separate small limit for buffers outside of the heap. During ingest it then collected garbage 14
  // times a second, and the server accepted a fifth fewer entries (benchmarks/ingest).
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  const startedMs = systemClock.nowMs();
  // Registered before the start, so that a signal during the start stops the server in order after the start.
  const stopped = stopSignal();
  const onHangUp = hangUps();
  // The log goes to stderr, because stdout is for the addresses.
  const own = config.own_telemetry_organization === null ? null : createOwnTelemetry(systemClock);
  const log = createLog(config, own === null ? null : own.logs);
  const { app, setupUrl } = await startWhenRecordsAreFree(() => start(config, log, own), log);
  try {
    const { addresses, listen } = app;
    const tls = config.tls_cert !== null;
    announceServer(config.data_dir, { addresses, listen, tls, pid: process.pid, started_at: isoFromMs(startedMs) });
    process.stdout.write(banner(app, config, setupUrl, systemClock.nowMs() - startedMs));
    onHangUp(() => app.reload(() => configOf(parsed)));
    flushCompileCache(); // Node writes the cache only at a normal exit, so a killed server would lose it.
    const why = await Promise.race([stopped, app.fatal]);
    process.stdout.write(`${why}: finishing the running requests\n`);
    if (isFatal(why)) writeFatalNote(config.data_dir, why, systemClock.nowMs());
    if (isFatal(why)) return await endAtOnce(app, DEATHS[why]);
  } finally {
    withdrawServer(config.data_dir, process.pid);
    await stopInTime(app, { log, limitMs: config.stop_timeout_ms + STOP_MORE_MS });
  }
  process.stdout.write("stopped\n");
  return ExitCode.ok;
});

/** Stops the server. Ends the process with 1 if a part did not stop: it would keep the process alive. */
async function stopInTime(app: App, { log, limitMs }: { log: Logger; limitMs: number }): Promise<void> {
  const end = (fields: object, message: string): never => {
    log.fatal(fields, message);
    process.exit(ExitCode.failed);
  };
  const overdue = setTimeout(() => end({ limit_ms: limitMs }, "the stop took too long; the process ends"), limitMs);
  const left = await app.stop();
  clearTimeout(overdue);
  if (left.length > 0) end({ parts: left }, "parts did not stop in time; the process ends without them");
}

interface Started {
  readonly app: App;
  readonly setupUrl: string | null;
}

async function start(config: Config, log: Logger, own: OwnTelemetry | null): Promise<Started> {
  const app = await buildApp(config, log, systemClock, own);
  try {
    const { metadata, addresses } = app;
    return { app, setupUrl: await ensureSetupLink({ metadata, clock: systemClock }, addresses.portal_url) };
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/**
 * Retries the start while another server holds the records. PostgreSQL notices late that a server was killed in the
 * middle of a change, and keeps its locks until then.
 * @throws Problem `unavailable` after 30 seconds
 */
async function startWhenRecordsAreFree(start: () => Promise<Started>, log: Logger): Promise<Started> {
  const givesUpMs = systemClock.nowMs() + RECORDS_WAIT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isHeld = error instanceof Problem && error.code === "unavailable";
      if (!isHeld || systemClock.nowMs() > givesUpMs) throw error;
      log.warn({ err: error }, "cannot start yet; retrying");
      await delay(RETRY_MS);
    }
  }
}

const RECORDS_WAIT_MS = 30_000;
const RETRY_MS = 1000;

const DEATHS: Readonly<Record<FatalPart, number>> = {
  "records writer": ExitCode.recordsWriterDied,
  "telemetry log": ExitCode.telemetryLogDied,
  "key store": ExitCode.keyStoreDied,
};

function isFatal(why: NodeJS.Signals | FatalPart): why is FatalPart {
  return why in DEATHS;
}

/** Stops in order, but with a short deadline: parts that wait for the dead part would wait forever. */
async function endAtOnce(app: App, exitCode: number): Promise<number> {
  const overdue = setTimeout(() => process.exit(exitCode), FATAL_STOP_MS);
  await app.stop();
  clearTimeout(overdue);
  return exitCode;
}

/** A second signal within this time is the same Ctrl-C, because npm and the terminal both send it. */
const SAME_SIGNAL_MS = 500;
const FATAL_STOP_MS = 10_000;
/** The time that a stop has in addition to `stop_timeout_ms`, which is for requests. */
const STOP_MORE_MS = 10_000;
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** On a terminal, SIGHUP means that the terminal was closed. */
function stopSignals(): (keyof typeof SIGNAL_NUMBERS)[] {
  return isatty(0) || isatty(1) ? ["SIGTERM", "SIGINT", "SIGHUP"] : ["SIGTERM", "SIGINT"];
}

/**
 * Returns a function that sets the handler of SIGHUP. A signal before that is handled then: without a handler, it would
 * end the process.
 */
function hangUps(): (handle: () => void) => void {
  if (stopSignals().includes("SIGHUP")) return () => {};
  let handler: (() => void) | undefined;
  let isWaiting = false;
  process.on("SIGHUP", () => {
    if (handler === undefined) isWaiting = true;
    else handler();
  });
  return (handle) => {
    handler = handle;
    if (isWaiting) handle();
  };
}

/**
 * Resolves at the first signal. A later second signal ends the process at once, which is safe: the log survives even a
 * power cut.
 */
function stopSignal(): Promise<NodeJS.Signals> {
  let firstMs: number | null = null;
  return new Promise((resolve) => {
    for (const signal of stopSignals()) {
      process.on(signal, () => {
        const nowMs = systemClock.nowMs();
        firstMs ??= nowMs;
        if (nowMs - firstMs > SAME_SIGNAL_MS) process.exit(128 + SIGNAL_NUMBERS[signal]);
        resolve(signal);
      });
    }
  });
}

function banner(app: App, config: Config, setupUrl: string | null, elapsedMs: number): string {
  const scheme = config.tls_cert === null ? "http" : "https";
  const behindProxy = !Object.values(app.addresses).some((address) => String(address).endsWith(app.listen));
  const rows: [string, string][] = [
    ...(behindProxy ? [["listen", app.listen] satisfies [string, string]] : []),
    ["portal", app.addresses.portal_url],
    ["identity", `${app.addresses.identity_url}/oauth/token`],
    ["ingest", `${app.addresses.ingest_url}/v1/ingest/{logs,metrics,traces}`],
    ...(app.grpcListen === null ? [] : [["otlp/grpc", `${scheme}://${app.grpcListen}`] satisfies [string, string]]),
    ...Object.entries(app.syslogListen).map(([name, address]): [string, string] => ["syslog", `${name} ${address}`]),
    ["query", `${app.addresses.query_url}/v1/query`],
    ["files", `${app.addresses.storage_url}/v1/upload`],
    ["s3", app.addresses.s3_endpoint],
    ["images", `${app.addresses.registry_domain}/orgs/{org}/{app}`],
    ["webhooks", `${app.addresses.webhooks_url}/hooks/{token}`],
    ...(app.metricsListen === null
      ? []
      : [["metrics", `http://${app.metricsListen}/metrics`] satisfies [string, string]]),
  ];
  const lines = rows.map(([name, address]) => `  ${name.padEnd(10)}${address}`);
  const setup = setupUrl === null ? "" : `\nSet up the owner's account (works once, for 24 hours):\n  ${setupUrl}\n`;
  return `mooring is ready after ${elapsedMs} ms\n${lines.join("\n")}\n${setup}`;
}
