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

/** The name of an object, and its project. */
export interface Named {
  readonly name: string;
  readonly projectId: string | null;
}

/** Returns the names of credentials and S3 keys by their ids. Other ids are left out. */
export async function namesOfCredentials(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Named>> {
  const of = (prefix: string): string[] => ids.filter((id) => id.startsWith(prefix));
  const rows = [...(await contextsOf(db, "credential", of("cred_"))), ...(await contextsOf(db, "s3_key", of("key_")))];
  return new Map(rows.map(({ id, name, project_id: projectId }) => [id, { name, projectId }]));
}
