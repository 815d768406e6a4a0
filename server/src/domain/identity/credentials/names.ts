import type { Reader } from "#stores/metadata/index.ts";
import { contextsOf } from "./store.ts";

/** Returns the names of an organization's credentials and ingest keys by their ids, revoked ones included. */
export async function credentialNames(
  db: Reader,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await contextsOf(db, "credential", ids);
  return new Map(rows.filter((row) => row.org_id === orgId).map(({ id, name }) => [id, name]));
}
