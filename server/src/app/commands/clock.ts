import { isoFromMs } from "#kernel/time.ts";
import { leaveAcceptance } from "#stores/clock/index.ts";
import { guardBeside } from "../clock.ts";
import { findRunningServer } from "../running.ts";
import { LOCAL_OPTIONS, command, configOf, ExitCode, UsageError, type Option } from "./command.ts";
import { withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring clock [--json] [--data-dir DIR]
       mooring clock accept [--data-dir DIR]

Shows whether the clock of this machine is trusted for the deletion of expired data. A clock that is ahead would delete data too early.
So deletions wait while the clock is in doubt: until it is corrected, has run steadily for a day, or somebody accepts it.

accept  confirms that the clock is right, and deletions continue. The server reads it within ten seconds, or at its next start.

  mooring clock --data-dir ./data
  mooring clock accept --data-dir ./data

Exit codes: 0 the clock is trusted or accepted, 1 deletions wait, 2 wrong usage.
`;

const JSON_OPTION: Option = { name: "json", description: "print JSON" };

export const clock = command(USAGE, [JSON_OPTION, ...LOCAL_OPTIONS], async (parsed) => {
  const [action, ...rest] = parsed.positionals;
  if (rest.length > 0 || (action !== undefined && action !== "accept"))
    throw new UsageError(`${parsed.positionals.join(" ")}: use accept, or no argument`);
  const config = configOf(parsed);
  if (action === "accept") {
    const running = await findRunningServer(config.data_dir);
    leaveAcceptance(config.data_dir);
    const when = running === null ? "at its next start" : "within ten seconds";
    process.stdout.write(`accepted: the server trusts the clock ${when}\n`);
    return ExitCode.ok;
  }
  return withMetadata(config, async (metadata) => {
    const { trusted, reason, heldUntilMs } = (await guardBeside(config.data_dir, metadata)).state();
    const until = heldUntilMs === null ? null : isoFromMs(heldUntilMs);
    if (parsed.values["json"] === true)
      process.stdout.write(`${JSON.stringify({ trusted, reason, held_until: until })}\n`);
    else if (trusted) process.stdout.write("ok        the clock can be trusted: expired data is deleted\n");
    else
      process.stdout.write(
        `held      nothing is deleted by time${until === null ? "" : ` before ${until}`}: ${reason ?? ""}\n`,
      );
    return trusted ? ExitCode.ok : ExitCode.failed;
  });
});
