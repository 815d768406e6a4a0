import { organizationAllows } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, SYSTEM, type Caller } from "#domain/organizations/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { isNeeded } from "./blobs-store.ts";
import { matchesAny } from "./immutable.ts";
import { deleteTagRow, manifestRow, noteUntagged, tagRow } from "./manifests-store.ts";
import { removeManifest } from "./manifests.ts";
import { lockRegistry, repositoryById } from "./repositories.ts";
import { repositoriesWithRules, taggedRows, untaggedRows, type TaggedRow } from "./retention-store.ts";
import {
  nameOf,
  type ManifestRow,
  type RegistryDeps,
  type RemovalDeps,
  type Repository,
  type TimedRemovalDeps,
} from "./types.ts";

/** Rules that delete old images of a repository. A rule that is null deletes nothing. */
export interface Retention {
  /** A tag stays if it is among this many that were moved last … */
  readonly keepLast: number | null;
  /** … or if it was moved, or its manifest pulled, within so many days. */
  readonly keepDays: number | null;
  /** Tags that match these patterns always stay, as do immutable ones. */
  readonly keepTags: readonly string[];
  /** A manifest without a tag stays for so many days after it lost the tag or was pulled. */
  readonly untaggedDays: number | null;
}

/** The deletions of a run, real or planned. */
export interface RetentionPlan {
  readonly tags: readonly { readonly name: string; readonly digest: string }[];
  readonly manifests: readonly { readonly digest: string; readonly size: number }[];
}

const DAY_MS = 86_400_000;
/** The most deletions of one run; the next one continues. */
const RUN_MAX = 1000;

/** Returns the deletions that a run would make now. Changes nothing. */
export async function planRetention(
  deps: Pick<RegistryDeps, "metadata" | "clock">,
  repository: Repository,
  retention: Retention,
): Promise<RetentionPlan> {
  const nowMs = deps.clock.nowMs();
  const tags = await tagsToDelete(deps.metadata.read, repository, retention, nowMs);
  const manifests = await manifestsToDelete(deps.metadata.read, repository, retention, nowMs);
  return {
    tags: tags.map(({ name, digest }) => ({ name, digest })),
    manifests: manifests.map(({ digest, size }) => ({ digest, size })),
  };
}

/**
 * Applies the rules. Each tag and manifest is checked again in the transaction that deletes it. Returns the deletions.
 */
export async function applyRetention(
  deps: TimedRemovalDeps,
  caller: Caller,
  repository: Repository,
  retention: Retention,
): Promise<RetentionPlan> {
  const nowMs = deps.clock.deletionTime("image_rules");
  if (nowMs === null) return { tags: [], manifests: [] };
  const tags: { name: string; digest: string }[] = [];
  for (const row of await tagsToDelete(deps.metadata.read, repository, retention, nowMs)) {
    if (await deleteOldTag(deps, caller, repository, row)) tags.push({ name: row.name, digest: row.digest });
  }
  const manifests: { digest: string; size: number }[] = [];
  for (const row of await manifestsToDelete(deps.metadata.read, repository, retention, nowMs)) {
    if (await deleteUntagged(deps, caller, repository, row)) manifests.push({ digest: row.digest, size: row.size });
  }
  return { tags, manifests };
}

const REPOSITORIES = 100;

/** Applies the rules of every repository that has some. Returns the number of deleted tags and manifests. */
export async function applyAllRetention(deps: TimedRemovalDeps): Promise<{ tags: number; manifests: number }> {
  let [tags, manifests] = [0, 0];
  for (let after = ""; ;) {
    const page = await repositoriesWithRules(deps.metadata.read, after, REPOSITORIES);
    for (const { id, retention } of page) {
      const repository = await repositoryById(deps.metadata.read, id);
      if (repository === undefined || !organizationAllows(repository.organization.state, "retain")) continue;
      const gone = await applyRetention(deps, SYSTEM, repository, JSON.parse(retention ?? "{}") as Retention);
      tags += gone.tags.length;
      manifests += gone.manifests.length;
    }
    const last = page.at(-1);
    if (last === undefined) return { tags, manifests };
    after = last.id;
  }
}

async function tagsToDelete(
  db: Reader,
  repository: Repository,
  { keepLast, keepDays, keepTags }: Retention,
  nowMs: number,
): Promise<TaggedRow[]> {
  if (keepLast === null && keepDays === null) return [];
  const kept = [...keepTags, ...repository.immutableTags];
  const oldestMs = nowMs - (keepDays ?? 0) * DAY_MS;
  const rows = await taggedRows(db, repository.id);
  const free = rows.filter(({ name }) => !matchesAny(name, kept));
  return free
    .slice(keepLast ?? 0)
    .filter((row) => Math.max(row.updated_at, row.last_pull_at ?? 0) < oldestMs || keepDays === null)
    .slice(-RUN_MAX);
}

async function manifestsToDelete(
  db: Reader,
  repository: Repository,
  { untaggedDays }: Retention,
  nowMs: number,
): Promise<ManifestRow[]> {
  if (untaggedDays === null) return [];
  return untaggedRows(db, repository.id, { before: nowMs - untaggedDays * DAY_MS, limit: RUN_MAX });
}

/** Whether it is in an index, or has an existing subject. Then it is deleted together with that. */
async function isHeld(db: Reader, { repository, digest, subject }: ManifestRow): Promise<boolean> {
  if (await isNeeded(db, repository, digest)) return true;
  return subject !== null && (await manifestRow(db, repository, subject)) !== undefined;
}

async function deleteOldTag(
  deps: RemovalDeps,
  caller: Caller,
  repository: Repository,
  planned: TaggedRow,
): Promise<boolean> {
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    const { name, digest } = planned;
    const row = await tagRow(tx, repository.id, name);
    if (row?.digest !== digest || row.updated_at !== planned.updated_at) return false;
    await deleteTagRow(tx, repository.id, name);
    await noteUntagged(tx, repository.id, digest, deps.clock.nowMs());
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: repository.orgId,
      action: "image.untag",
      target: { kind: "app", id: repository.id },
      detail: { repository: nameOf(repository), digest, tags: [name], by: "retention" },
    });
    return true;
  });
}

async function deleteUntagged(
  deps: RemovalDeps,
  caller: Caller,
  repository: Repository,
  planned: ManifestRow,
): Promise<boolean> {
  return deps.metadata.write(async (tx) => {
    await lockRegistry(deps, tx, repository.orgId);
    const { digest } = planned;
    const row = await manifestRow(tx, repository.id, digest);
    const isSame = row?.untagged_at === planned.untagged_at && row.last_pull_at === planned.last_pull_at;
    if (row === undefined || !isSame || (await isHeld(tx, row))) return false;
    await removeManifest(deps, tx, repository.id, digest);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: repository.orgId,
      action: "image.delete",
      target: { kind: "app", id: repository.id },
      detail: { repository: nameOf(repository), digest, tags: [], by: "retention" },
    });
    return true;
  });
}
