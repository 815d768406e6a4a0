import { systemClock } from "#kernel/time.ts";
import { missingMigrations, openMetadata } from "#stores/metadata/index.ts";
import { openCurrentRecords, recordsOf } from "../records.ts";
import { findRunningServer } from "../running.ts";
import type { Config } from "../config.ts";
import { CommandError, LOCAL_OPTIONS, command, configOf, noMore, type Option } from "./command.ts";

const USAGE = `
Usage: mooring upgrade [--dry-run] [--json] [--data-dir DIR]

Upgrades the records to this version, like the next start of the server. All other commands leave records of an older version unchanged.
First stop the server and make a backup: an older version can't open upgraded records.

  mooring upgrade --dry-run --data-dir ./data
  mooring upgrade --data-dir ./data

Exit codes: 0 done, or nothing to do, 1 failed, the rest was not applied, 2 wrong usage.
`;

const OPTIONS: readonly Option[] = [
  { name: "dry-run", description: "list the missing migrations, and change nothing" },
  { name: "json", description: "print JSON: {pending, applied}" },
  ...LOCAL_OPTIONS,
];

export const upgrade = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const config = configOf(parsed);
  const pending = await pendingOf(config);
  const isDry = parsed.values["dry-run"] === true;
  if (!isDry && pending.length > 0) await apply(config);
  const applied = isDry ? [] : pending;
  if (parsed.values["json"] === true) process.stdout.write(`${JSON.stringify({ pending, applied })}\n`);
  else if (pending.length === 0) process.stdout.write("nothing to do: the records are of this version\n");
  else for (const name of pending) process.stdout.write(`${isDry ? "would apply" : "applied"} ${name}\n`);
});

/** Names the missing migrations. Changes nothing. */
async function pendingOf(config: Config): Promise<readonly string[]> {
  try {
    await (await openMetadata({ ...recordsOf(config), clock: systemClock, migrating: "refuse" })).close();
    return [];
  } catch (error) {
    const names = missingMigrations(error);
    if (names.length > 0) return names;
    throw error;
  }
}

async function apply(config: Config): Promise<void> {
  const running = await findRunningServer(config.data_dir);
  if (running !== null)
    throw new CommandError(
      `cannot upgrade the records: a server runs on this data directory (pid ${running.pid}); stop it first`,
    );
  await (await openCurrentRecords(config, systemClock)).close();
}
