import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { requireNoDeletionLock } from "#domain/projects/index.ts";
import { auditOf, dropItem, itemsOf, type TrashKindRules, type TrashRow } from "#domain/trash/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOrigin, SYSTEM, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";
import { appByName, deleteAppRow, deleteEmptyBucket, deleteEmptyRepository } from "./store.ts";
import { takeFromTrash } from "./trash/store.ts";

type Stored = { readonly id: string; readonly orgId: string };

export interface AppTrashDeps extends OrganizationsDeps {
  /** Deletes the images and the objects of an app in steps. Returns false if locked versions of objects stay. */
  readonly eraseContent: (app: Stored, signal: AbortSignal) => Promise<boolean>;
  /** Starts background work of an app again. */
  readonly resume: (tx: Writer, app: Stored) => Promise<void>;
  /** The rules of the kinds `image` and `repository`. */
  readonly images: Pick<TrashKindRules, "end">;
}

/** Apps in the trash, each with its bucket, its repository and its deleted images. */
export function appTrash(deps: AppTrashDeps): TrashKindRules {
  return {
    lock: "organization",
    restore: async (tx, { object_id: id, org_id, name }, { slug = name }) => {
      await enforceRecordLimit(deps.metadata, tx, "apps_max", org_id);
      requireSlugFree(slug, await appByName(tx, org_id, slug));
      await takeFromTrash(tx, { id, org_id }, slug);
      await deps.resume(tx, { id, orgId: org_id });
    },
    beforePurge: requireNoDeletionLock,
    end: (item, signal) => endApp(deps, item, signal),
  };
}

async function endApp(deps: AppTrashDeps, item: TrashRow, signal: AbortSignal): Promise<boolean> {
  const { object_id: id, org_id: orgId } = item;
  if (!(await eraseApp(deps, { id, orgId }, signal))) return false;
  await changeOrganization(deps, orgId, async (tx) => {
    if (!(await dropItem(tx, item.id))) return;
    await deleteErasedApp(deps, tx, { id, orgId });
    await appendAudit(deps, tx, auditOf(auditOrigin(SYSTEM), "end", item));
  });
  return true;
}

/** Deletes everything of an app except its row. Returns false if locked versions of objects stay. */
export async function eraseApp(deps: AppTrashDeps, { id, orgId }: Stored, signal: AbortSignal): Promise<boolean> {
  for (const item of await itemsOf(deps.metadata.read, orgId, id))
    if (item.keeper_id !== null) await deps.images.end(item, signal);
  return deps.eraseContent({ id, orgId }, signal);
}

/** Deletes the row of an app that was erased. @throws Error if something was added meanwhile; it is retried later */
export async function deleteErasedApp(
  { metadata }: Pick<OrganizationsDeps, "metadata">,
  tx: Writer,
  { id, orgId }: Stored,
): Promise<void> {
  const app = { id, org_id: orgId };
  if (!(await deleteEmptyBucket(metadata.dialect, tx, app)) || !(await deleteEmptyRepository(tx, app)))
    throw new Error("an app in the trash is not empty yet");
  await deleteAppRow(tx, orgId, id);
}

/** @throws Problem `conflict` if another app or project has the slug now */
export function requireSlugFree(slug: string, holder: unknown): void {
  if (holder === undefined) return;
  throw new Problem(
    "conflict",
    `The slug ${slug} was given to a new object after the deletion. Restore this one under another slug (\`slug\`).`,
  );
}
