import { pino } from "pino";
import { ensureSetupLink } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { buildApp, type App } from "../build.ts";
import { CONFIG_OPTION, configOf, ExitCode, parseCommand, settingOptions, type Command } from "./command.ts";

const USAGE = `
Usage: mooring serve [options]

Runs the product until SIGTERM or SIGINT, then finishes what is in flight.
`;

export const serve: Command = {
  name: "serve",
  summary: "run the product",
  run: async (args) => {
    const parsed = parseCommand(USAGE, [CONFIG_OPTION, ...settingOptions()], args);
    if (parsed === null) return ExitCode.ok;
    const config = configOf(parsed);
    const startedMs = systemClock.nowMs();
    // Lines go to stderr: stdout is for the addresses.
    const log = pino({ level: config.log_level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
    const app = await buildApp(config, log, systemClock);
    const setupUrl = await ensureSetupLink({ metadata: app.metadata, clock: systemClock }, app.addresses.portal_url);
    process.stdout.write(banner(app, setupUrl, systemClock.nowMs() - startedMs));
    const signal = await stopSignal();
    process.stdout.write(`${signal}: finishing what is in flight\n`);
    await app.stop();
    process.stdout.write("stopped\n");
    return ExitCode.ok;
  },
};

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}

function banner(app: App, setupUrl: string | null, elapsedMs: number): string {
  const rows: [string, string][] = [
    ["portal", app.addresses.portal_url],
    ["identity", `${app.addresses.identity_url}/oauth/token`],
    ["ingest", `${app.addresses.ingest_url}/v1/ingest/{logs,metrics,traces}`],
    ["query", `${app.addresses.query_url}/v1/query`],
    ...(app.metricsListen === null ? [] : [["metrics", `http://${app.metricsListen}/metrics`] satisfies [string, string]]),
  ];
  const lines = rows.map(([name, address]) => `  ${name.padEnd(10)}${address}`);
  const setup = setupUrl === null ? "" : `\nSet up the owner's account (works once, for 24 hours):\n  ${setupUrl}\n`;
  return `mooring is ready after ${elapsedMs} ms\n${lines.join("\n")}\n${setup}`;
}
