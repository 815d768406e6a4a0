import { findRunningServer, probe } from "../running.ts";
import { LOCAL_OPTIONS, command, CommandError, configOf, ExitCode, noMore } from "./command.ts";

const USAGE = `
Usage: mooring healthcheck [--data-dir DIR] [options]

Asks the server of this data directory whether it can answer requests, for a container's health check. Use the same options as for
serve.

Exit codes: 0 it can, 1 it can't, or no server runs.
`;

const TIMEOUT_MS = 8000;

export const healthcheck = command(USAGE, LOCAL_OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const { data_dir: dataDir } = configOf(parsed);
  const server = await findRunningServer(dataDir);
  if (server === null)
    throw new CommandError(`no server runs on ${dataDir}; start one with mooring serve, or name its --data-dir`);
  const { status, text } = await probe(server, "/readyz", TIMEOUT_MS);
  process.stdout.write(`${status} ${text}\n`);
  return status === 200 ? ExitCode.ok : ExitCode.failed;
});
