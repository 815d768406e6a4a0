import { earlier } from "#kernel/deletions.ts";
import { LOGIN_IDLE_MS } from "#kernel/limits.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { PeopleDeps } from "../deps.ts";
import { deleteIdleLogins, loginsOf, type LoginRow } from "./store.ts";

/** Lists a person's logins that have not ended, newest first. */
export async function listLogins(deps: Pick<PeopleDeps, "metadata" | "clock">, userId: string) {
  return loginsOf(deps.metadata.read, userId, deps.clock.nowMs() - LOGIN_IDLE_MS);
}

/** Returns when the login ends without further use. */
export function endOfLogin(row: Pick<LoginRow, "last_used_at">): number {
  return row.last_used_at + LOGIN_IDLE_MS;
}

/** Deletes logins that were not used for 30 days. */
export async function tidyLogins({ clock }: Pick<PeopleDeps, "clock">, tx: Writer): Promise<void> {
  const dueMs = clock.deletionTime("logins");
  if (dueMs !== null) await deleteIdleLogins(tx, earlier(dueMs, LOGIN_IDLE_MS));
}
