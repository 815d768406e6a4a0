import { ConfigError } from "../../config.ts";
import { findRunningServer } from "../../running.ts";
import { LOCAL_OPTIONS, command, configOf, ExitCode, noMore, type Option, type Parsed } from "../command.ts";
import type { Check, CheckContext, Finding } from "./finding.ts";
import { BACKUP_CHECKS } from "./backups.ts";
import { BUCKET_CHECKS } from "./buckets.ts";
import { DATABASE_CHECKS } from "./database.ts";
import { MACHINE_CHECKS } from "./machine.ts";
import { NETWORK_CHECKS } from "./network.ts";
import { OBJECT_CHECKS } from "./objects.ts";
import { RECORD_CHECKS } from "./records.ts";
import { RETENTION_CHECKS } from "./retention.ts";

const USAGE = `
Usage: mooring doctor [--data-dir DIR] [--json] [options]

Checks the configuration, this machine, the data directory, the records, the keys, the addresses and the sandbox of queries, with or
without a running server, and shows how to repair each fault. Use the same options as for serve.

  mooring doctor --data-dir ./data
  mooring doctor --config /etc/mooring.json --json

Exit codes: 0 no check failed (there may be warnings), 1 a check failed.
`;

const CHECKS: readonly Check[] = [
  ...MACHINE_CHECKS,
  ...DATABASE_CHECKS,
  ...RECORD_CHECKS,
  ...OBJECT_CHECKS,
  ...RETENTION_CHECKS,
  ...BACKUP_CHECKS,
  ...BUCKET_CHECKS,
  ...NETWORK_CHECKS,
];

const OPTIONS: readonly Option[] = [
  { name: "json", description: "print JSON: a list of {check, status, detail, mend}" },
  ...LOCAL_OPTIONS,
];

export const doctor = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const findings: Finding[] = [];
  for await (const finding of examine(parsed)) {
    findings.push(finding);
    if (parsed.values["json"] !== true) process.stdout.write(readable(finding));
  }
  if (parsed.values["json"] === true) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  return findings.some((finding) => finding.status === "fail") ? ExitCode.failed : ExitCode.ok;
});

async function* examine(parsed: Parsed): AsyncGenerator<Finding, void, void> {
  const config = configuration(parsed);
  if (Array.isArray(config)) return yield* config;
  yield { check: "configuration", status: "ok", detail: "every setting is valid" };
  const context: CheckContext = { config, running: await findRunningServer(config.data_dir) };
  for (const check of CHECKS) yield* await run(check, context);
}

/** Returns the settings, or one finding for each mistake. Without settings, nothing else can be checked. */
function configuration(parsed: Parsed): CheckContext["config"] | Finding[] {
  try {
    return configOf(parsed);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.mistakes.map((detail) => ({
      check: "configuration",
      status: "fail",
      detail,
      mend: "correct it where it was set",
    }));
  }
}

async function run(check: Check, context: CheckContext): Promise<Finding[]> {
  try {
    return (await check.run(context)).map((found) => ({ check: check.name, ...found }));
  } catch (error) {
    return [{ check: check.name, status: "fail", detail: (error as Error).message, mend: check.mend }];
  }
}

function readable({ check, status, detail, mend }: Finding): string {
  return `${status.padEnd(5)} ${check.padEnd(15)} ${detail}${mend === undefined ? "" : `\n${" ".repeat(22)}→ ${mend}`}\n`;
}
