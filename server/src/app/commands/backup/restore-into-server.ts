import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@mooring/client";
import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { createOperatorToken, revokeOperatorToken, type OperatorCaller } from "#domain/operator/index.ts";
import { systemClock } from "#kernel/time.ts";
import type { PartName } from "../../backup/index.ts";
import { findRunningServer, type RunningServer } from "../../running.ts";
import { CommandError, configOf, ExitCode, textOption, type Parsed } from "../command.ts";
import { withMetadata } from "../stores.ts";

const BY_SYSTEM: OperatorCaller = { actor: { kind: "system", id: null }, ip: null, requestId: null };
const POLL_MS = 500;
const TOKEN_LIFETIME_MS = 24 * 3_600_000;

type Restore = ResultOf<typeof PORTAL_ROUTES.listRestores>["items"][number];

/** Restores a part of a backup into the server that runs on the data directory. Waits until it has ended. */
export async function restoreIntoServer(parsed: Parsed, part: PartName): Promise<number> {
  const config = configOf(parsed);
  const running = await findRunningServer(config.data_dir);
  if (running === null) throw new CommandError(`no server runs on ${config.data_dir}: start it first`);
  return withMetadata(config, async (metadata) => {
    const deps = { metadata, clock: systemClock };
    const expiresAtMs = systemClock.nowMs() + TOKEN_LIFETIME_MS;
    const { token, secret } = await createOperatorToken(deps, BY_SYSTEM, { name: "mooring restore", expiresAtMs });
    try {
      const client = createClient({ addresses: addressesOf(running), tokens: { get: async () => secret } });
      const body = {
        backup: textOption(parsed, "backup") ?? null,
        ...part,
        slug: textOption(parsed, "as") ?? null,
        credentials: parsed.values["keep-credentials"] === true ? "kept" : "revoked",
      } as const;
      const { id } = await client.call(PORTAL_ROUTES.createRestore, { body });
      const { state, detail } = await ended(() => client.call(PORTAL_ROUTES.listRestores, {}), id);
      if (state === "failed") throw new CommandError(`nothing was restored: ${detail ?? ""}`);
      process.stdout.write(`restored  ${detail ?? ""}\n`);
      return ExitCode.ok;
    } finally {
      await revokeOperatorToken(deps, BY_SYSTEM, token.id);
    }
  });
}

/** The public address may lead to a proxy that is not reachable from here. A certificate is valid only for that address. */
function addressesOf({ addresses, listen, tls }: RunningServer): RunningServer["addresses"] {
  return tls === true ? addresses : { ...addresses, portal_url: `http://${listen}` };
}

async function ended(list: () => Promise<{ items: readonly Restore[] }>, id: string): Promise<Restore> {
  for (;;) {
    const found = (await list()).items.find((restore) => restore.id === id);
    if (found === undefined) throw new CommandError("the server has restarted: run the command again");
    if (found.state !== "running") return found;
    await delay(POLL_MS);
  }
}
