import { isoFromMs } from "#kernel/time.ts";
import { giveUp, TELEMETRY_LIVE_MS, telemetryDirectories, type TelemetryDirectory } from "#stores/telemetry/index.ts";
import { CommandError, LOCAL_OPTIONS, command, configOf, UsageError } from "./command.ts";
import { withMetadata } from "./stores.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring nodes list [--data-dir DIR]
       mooring nodes give-up STORE [--data-dir DIR]

Each server has the telemetry that it took in its own data directory, and reads no other. list shows these directories, by the identifier that
is in telemetry/store-id, with the organizations that have rows there. While several servers run on the same records, or one that had rows is
gone, queries answer 503 telemetry_incomplete rather than a part. give-up is for a directory that is lost: queries go on without its rows. A
server that is started on it takes that back.

  mooring nodes list --data-dir ./data
`;

export const nodes = command(USAGE, [{ name: "json", description: "print JSON" }, ...LOCAL_OPTIONS], async (parsed) => {
  const [action, id, ...rest] = parsed.positionals;
  if (action !== "list" && action !== "give-up") throw new UsageError("say what to do: list or give-up");
  if ((action === "give-up") !== (id !== undefined) || rest.length > 0)
    throw new UsageError("give-up takes the identifier of one directory, list takes nothing");
  const listed = await withMetadata(configOf(parsed), async (metadata) => {
    const known = await telemetryDirectories(metadata, TELEMETRY_LIVE_MS);
    if (id === undefined) return known;
    const one = known.find((directory) => directory.id === id);
    if (one === undefined)
      throw new CommandError(`cannot give up the directory: there is none with the identifier ${id}`);
    if (one.isLive) throw new CommandError(`cannot give up the directory ${id}: a server runs on it; stop that first`);
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
