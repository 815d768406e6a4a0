import { ALLOWED_ORIGINS_MAX } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { ownTrashDays, setDaysOfItems } from "#domain/trash/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { putTrashDays } from "./store.ts";
import { setTrashDays } from "./trash-store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

/** The file settings that an organization chooses. */
export interface FilePolicy {
  /** Null: the server's default. */
  readonly trashDays: number | null;
  /** Origins of pages that may upload, sorted. */
  readonly allowedOrigins: readonly string[];
}

export async function policyOf(db: Reader, orgId: string): Promise<FilePolicy> {
  return { trashDays: await ownTrashDays(db, orgId), allowedOrigins: await originsOf(db, orgId) };
}

export function policyVersion({ trashDays, allowedOrigins }: FilePolicy): object {
  return { trash_days: trashDays, allowed_origins: allowedOrigins };
}

/**
 * Changes the given settings. New days also apply to files already in the trash.
 * @throws Problem `concurrent_update`
 */
export async function changePolicy(
  deps: FilesDeps,
  caller: Caller,
  orgId: string,
  { change, ifMatch }: { readonly change: Partial<FilePolicy>; readonly ifMatch?: string | undefined },
): Promise<FilePolicy> {
  const expected = await expectedOf(ifMatch, async () => policyVersion(await policyOf(deps.metadata.read, orgId)));
  return deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const before = await policyOf(tx, orgId);
    requireMatch(expected, policyVersion(before));
    const nowMs = deps.clock.nowMs();
    const { trashDays, allowedOrigins } = change;
    if (trashDays !== undefined) {
      await putTrashDays(tx, { org_id: orgId, trash_days: trashDays, updated_at: nowMs });
      const days = trashDays ?? deps.settings.trashDays;
      await setTrashDays(tx, orgId, days, nowMs);
      await setDaysOfItems(tx, orgId, days, nowMs);
    }
    if (allowedOrigins !== undefined) await putOrigins(tx, orgId, allowedOrigins);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "file.settings.update",
      target: { kind: "organization", id: orgId },
      detail: { before: detailOf(before, change), after: detailOf(change, change) },
    });
    return { ...before, ...change };
  });
}

/** Returns the members that the request has given. */
function detailOf({ trashDays, allowedOrigins }: Partial<FilePolicy>, given: Partial<FilePolicy>): object {
  return {
    ...(given.trashDays === undefined ? {} : { trash_days: trashDays }),
    ...(given.allowedOrigins === undefined ? {} : { allowed_origins: allowedOrigins }),
  };
}

/** Decides which pages may use uploads. Both reads find one row by an index. */
export function pageOrigins({ metadata }: { readonly metadata: Pick<MetadataStore, "read"> }) {
  const found = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
    (await query.executeTakeFirst()) !== undefined;
  const rows = () => metadata.read.selectFrom("file_origin").select("origin");
  return {
    isAllowed: (origin: string) => found(rows().where("origin", "=", origin).limit(1)),
    isAllowedBy: (orgId: string, origin: string) =>
      found(rows().where("org_id", "=", orgId).where("origin", "=", origin)),
  };
}

async function originsOf(db: Reader, orgId: string): Promise<string[]> {
  const rows = db.selectFrom("file_origin").select("origin").where("org_id", "=", orgId).orderBy("origin");
  return (await rows.limit(ALLOWED_ORIGINS_MAX).execute()).map(({ origin }) => origin);
}

async function putOrigins(tx: Writer, orgId: string, origins: readonly string[]): Promise<void> {
  await tx.deleteFrom("file_origin").where("org_id", "=", orgId).execute();
  const rows = origins.map((origin) => ({ org_id: orgId, origin }));
  if (rows.length > 0) await tx.insertInto("file_origin").values(rows).execute();
}
