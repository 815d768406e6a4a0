import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { type Reach, absent } from "#domain/identity/index.ts";
import { columnsOf, requireNoDeletionLock, requireStateAllows, type Project } from "#domain/projects/index.ts";
import { moveToTrash, type TrashDeps } from "#domain/trash/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { requireNoObjectLock } from "./object-lock.ts";
import { duplicateSlug, found as foundProject } from "../projects/projects.ts";
import {
  appByName,
  deleteAppRow,
  insertApp,
  listAppRows,
  setAppName,
  deleteEmptyBucket,
  deleteEmptyRepository,
  hasContent,
  type App,
} from "./store.ts";
import { lockedBucketOf, putInTrash } from "./trash/store.ts";

type AppKey = Pick<App, "id" | "org_id">;

/** Returns undefined if the app does not exist. `authorize` decides who may see it. */
export async function findApp(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  idOrSlug: string,
): Promise<App | undefined> {
  return appByName(deps.metadata.read, orgId, idOrSlug);
}

/** Lists apps, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listApps(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  reach: Reach,
  page: PageQuery & { projectId?: string | undefined },
): Promise<Page<App>> {
  return listPage(
    page,
    (wanted) => listAppRows(deps.metadata.read, orgId, reach, { ...wanted, projectId: page.projectId }),
    (row) => row.id,
  );
}

/** Creates an app. @throws Problem `not_found` (the project was deleted), `duplicate_slug` */
export async function createApp(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  input: { slug: string; name?: string | undefined },
): Promise<App> {
  return changeOrganization(deps, project.org_id, async (tx) =>
    kept(tx, await createAppIn(deps, tx, caller, { project: await foundProject(tx, project), input })),
  );
}

/** Creates an app in the caller's transaction, under the organization's lock. */
export async function createAppIn(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  options: { project: Project; input: { slug: string; name?: string | undefined } },
): Promise<App> {
  const { project, input } = options;
  requireStateAllows(project, "apps:write");
  const at = deps.clock.nowMs();
  const row = {
    id: newId("app", at),
    org_id: project.org_id,
    project_id: project.id,
    slug: input.slug,
    name: input.name ?? input.slug,
    created_at: at,
    trashed_at: null,
    former_slug: null,
  };
  await enforceRecordLimit(deps.metadata, tx, "apps_max", row.org_id);
  if (!(await insertApp(tx, row))) throw duplicateSlug("/slug", input.slug);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: row.org_id,
    action: "app.create",
    target: { kind: "app", id: row.id },
    detail: { slug: row.slug, project: project.id },
  });
  return { ...row, ...columnsOf(project), project_slug: project.slug };
}

/** @throws Problem `not_found`, `concurrent_update` */
export async function updateApp(
  deps: OrganizationsDeps,
  caller: Caller,
  app: AppKey,
  options: { change: { name: string }; ifMatch: string | undefined },
): Promise<App> {
  const expected = await expectedOf(options.ifMatch, () => found(deps.metadata.read, app));
  return changeOrganization(deps, app.org_id, async (tx) => {
    const before = await found(tx, app);
    requireMatch(expected, before);
    await setAppName(tx, before.org_id, before.id, options.change.name);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: before.org_id,
      action: "app.update",
      target: { kind: "app", id: before.id },
      detail: { name: { from: before.name, to: options.change.name } },
    });
    return { ...before, name: options.change.name };
  });
}

/**
 * Deletes an app. One with content goes to the trash with its bucket and its repository. Its slug is free at once.
 * @throws Problem `not_found`, `conflict` (the deletion lock of its project, or the object lock of its bucket)
 */
export async function deleteApp(deps: OrganizationsDeps & TrashDeps, caller: Caller, app: AppKey): Promise<void> {
  await changeOrganization(deps, app.org_id, async (tx) => {
    const row = await found(tx, app);
    await requireNoDeletionLock(tx, row);
    if (await hasContent(tx, row)) await trashApp(deps, tx, caller, row);
    else await deleteAppIn(deps, tx, caller, app);
  });
}

async function trashApp(deps: OrganizationsDeps & TrashDeps, tx: Writer, caller: Caller, row: App): Promise<void> {
  requireNoObjectLock(await lockedBucketOf(tx, { column: "id", value: row.id }));
  await putInTrash(tx, row, deps.clock.nowMs());
  const { id: objectId, org_id: orgId, project_id: projectId, slug: name } = row;
  await moveToTrash(deps, tx, caller, { kind: "app", orgId, projectId, objectId, name });
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "app.delete",
    target: { kind: "app", id: objectId },
    detail: { slug: name, project: projectId, trashed: true },
  });
}

/**
 * Deletes an empty app for good in the caller's transaction, under the organization's lock.
 */
export async function deleteAppIn(deps: OrganizationsDeps, tx: Writer, caller: Caller, app: AppKey): Promise<void> {
  const row = await found(tx, app);
  if (!(await deleteEmptyBucket(deps.metadata.dialect, tx, row)))
    throw new Problem("conflict", "The app's bucket is not empty. Delete its objects and uploads first.");
  if (!(await deleteEmptyRepository(tx, row)))
    throw new Problem(
      "conflict",
      "The app's repository is not empty, or has deleted images in the trash. Delete them first.",
    );
  await deleteAppRow(tx, row.org_id, row.id);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: row.org_id,
    action: "app.delete",
    target: { kind: "app", id: row.id },
    detail: { slug: row.slug, project: row.project_id },
  });
}

/** Returns the current app, under the organization's lock. */
export async function found(db: Reader, app: AppKey): Promise<App> {
  const row = await appByName(db, app.org_id, app.id);
  if (row === undefined) throw absent();
  return row;
}
