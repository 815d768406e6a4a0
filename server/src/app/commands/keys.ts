import { systemClock, isoFromMs } from "#kernel/time.ts";
import type { SigningKeyInfo } from "#domain/identity/index.ts";
import { CommandError, LOCAL_OPTIONS, command, configOf, UsageError } from "./command.ts";
import { presentAddresses, withIdentity } from "./stores.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring keys list|rotate [--data-dir DIR]
       mooring keys retire KID [--data-dir DIR]

Keys that sign access tokens. The server rotates them every 90 days. rotate publishes new keys now, which sign after ten minutes; the current keys stay published until their last token expires. retire is for a key that leaked: every node refuses its tokens from
then on.

  mooring keys list --data-dir ./data
`;

const ACTOR = { kind: "system", id: "command-line" } as const;

export const keys = command(USAGE, [{ name: "json", description: "print JSON" }, ...LOCAL_OPTIONS], async (parsed) => {
  const [action, kid, ...rest] = parsed.positionals;
  if (action !== "list" && action !== "rotate" && action !== "retire")
    throw new UsageError("name a subcommand: list, rotate or retire");
  if ((action === "retire") !== (kid !== undefined) || rest.length > 0)
    throw new UsageError("retire needs the kid of one key; list and rotate have no arguments");
  const config = configOf(parsed);
  const listed = await withIdentity(config, await presentAddresses(config), async (identity) => {
    if (action === "rotate") await identity.keys.rotate(ACTOR);
    if (kid !== undefined) {
      if (!identity.keys.list().some((key) => key.kid === kid))
        throw new CommandError(`cannot retire the key: there is no key with the kid ${kid}`);
      const { propagated } = await identity.retireKeyNow(kid, ACTOR);
      if (!propagated)
        process.stderr.write("mooring: a node has not answered yet; it refuses the key as soon as it can\n");
    }
    return identity.keys.list();
  });
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(listed)}\n` : readable(listed));
});

function readable(listed: readonly SigningKeyInfo[]): string {
  const rows = listed.map((key) => ({
    ...key,
    signs_from: isoFromMs(key.activeAtMs),
    published_until: key.removedAtMs === null ? "in use" : isoFromMs(key.removedAtMs),
  }));
  const nowMs = systemClock.nowMs();
  const next = listed.find((key) => key.activeAtMs > nowMs);
  const note = next === undefined ? "" : `The next keys sign from ${isoFromMs(next.activeAtMs)} on.\n`;
  return textTable(["kid", "alg", "state", "signs_from", "published_until"], rows) + note;
}
