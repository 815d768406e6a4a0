import { isoFromMs } from "#kernel/time.ts";
import { giveUp, TELEMETRY_LIVE_MS, telemetryDirectories, type TelemetryDirectory } from "#stores/telemetry/index.ts";
import { CommandError, LOCAL_OPTIONS, command, configOf, UsageError } from "./command.ts";
import { withMetadata } from "./stores.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring nodes list [--data-dir DIR]
       mooring nodes give-up STORE [--data-dir DIR]

Each server stores its telemetry in its own data directory, and reads no other. list shows these directories, by the identifier in
telemetry/store-id, with the organizations that have rows there. If several servers run on the same records, or a server with rows is
missing, queries answer 503 telemetry_incomplete instead of incomplete rows. give-up is for a lost directory: queries then run without
its rows. Starting a server on the directory reverses it.

  mooring nodes list --data-dir ./data
`;

export const nodes = command(USAGE, [{ name: "json", description: "print JSON" }, ...LOCAL_OPTIONS], async (parsed) => {
  const [action, id, ...rest] = parsed.positionals;
  if (action !== "list" && action !== "give-up") throw new UsageError("name a subcommand: list or give-up");
  if ((action === "give-up") !== (id !== undefined) || rest.length > 0)
    throw new UsageError("give-up needs the identifier of one directory; list has no arguments");
  const listed = await withMetadata(configOf(parsed), async (metadata) => {
    const known = await telemetryDirectories(metadata, TELEMETRY_LIVE_MS);
    if (id === undefined) return known;
    const one = known.find((directory) => directory.id === id);
    if (one === undefined)
      throw new CommandError(`cannot give up the directory: there is none with the identifier ${id}`);
    if (one.isLive) throw new CommandError(`cannot give up the directory ${id}: a server runs on it; stop it first`);
    await metadata.write((tx) => giveUp(tx, metadata.dialect, id));
    return telemetryDirectories(metadata, TELEMETRY_LIVE_MS);
  });
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(listed)}\n` : readable(listed));
});

function readable(listed: readonly TelemetryDirectory[]): string {
  const rows = listed.map((one) => ({
    directory: one.id,
    server: stateOf(one),
    organizations: one.organizations.join(" "),
  }));
  return textTable(["directory", "server", "organizations"], rows);
}

function stateOf({ isLive, beatAtMs, givenUpAtMs }: TelemetryDirectory): string {
  if (isLive) return "runs";
  if (givenUpAtMs !== null) return `given up at ${isoFromMs(givenUpAtMs)}`;
  return beatAtMs === null ? "stopped" : `gone, last seen at ${isoFromMs(beatAtMs)}`;
}
