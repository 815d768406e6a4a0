import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, SYSTEM } from "#domain/organizations/index.ts";
import { requireNoDeletionLock } from "#domain/projects/index.ts";
import { auditOf, dropItem, type TrashKindRules, type TrashRow } from "#domain/trash/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { eraseContents, removeBatch } from "./images.ts";
import { repositoryById } from "./repositories.ts";
import { dropKeeper, holdAll, moveContents, recount, tagInTheWay } from "./trash/store.ts";
import type { RemovalDeps } from "./types.ts";

/** Images and the content of repositories in the trash. */
export function imageTrash(deps: RemovalDeps): TrashKindRules {
  return {
    lock: "registry",
    restore: (tx, item) => restore(deps, tx, item),
    beforePurge: requireNoDeletionLock,
    end: (item, signal) => end(deps, item, signal),
  };
}

/** @throws Problem `conflict` if a tag was pushed again, or the app is in the trash, too */
async function restore(deps: RemovalDeps, tx: Writer, item: TrashRow): Promise<void> {
  const { object_id: to, org_id: orgId } = item;
  if ((await repositoryById(tx, to)) === undefined)
    throw new Problem("conflict", "Its app is in the trash, too. Restore the app first.");
  const from = keeperOf(item);
  const tag = await tagInTheWay(tx, from, to);
  if (tag !== undefined)
    throw new Problem(
      "conflict",
      `The tag ${tag} was pushed again, and names another image now. Delete this tag, or push its image under another tag, and restore again.`,
    );
  await moveContents(tx, from, to);
  await dropRest(deps, tx, from);
  await holdAll(tx, to);
  recount(tx, orgId, to);
  dropKeeper(tx, from);
}

/** Deletes the rows that the repository has already, because the same content was pushed again. */
async function dropRest(deps: RemovalDeps, tx: Writer, keeper: string): Promise<void> {
  await tx.deleteFrom("registry_tag").where("repository", "=", keeper).execute();
  for (const what of ["manifests", "blobs"] as const) while ((await removeBatch(deps, tx, keeper, what)) > 0);
}

async function end(deps: RemovalDeps, item: TrashRow, signal: AbortSignal): Promise<boolean> {
  const id = keeperOf(item);
  await eraseContents(deps, { id, orgId: item.org_id }, signal);
  await deps.metadata.write(async (tx) => {
    if (!(await dropItem(tx, item.id))) return;
    dropKeeper(tx, id);
    await appendAudit(deps, tx, auditOf(auditOrigin(SYSTEM), "end", item));
  });
  return true;
}

function keeperOf({ id, keeper_id: keeper }: TrashRow): string {
  if (keeper === null) throw new Error(`the item ${id} of the trash names no keeper`);
  return keeper;
}
