import { appendAudit } from "#domain/audit/index.ts";
import { columnsOf, requireNoDeletionLock, requireStateAllows, type Project } from "#domain/projects/index.ts";
import { moveItems } from "#domain/trash/index.ts";
import { usageOf } from "#domain/quotas/index.ts";
import { Problem } from "#kernel/problem.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { found as foundProject } from "../projects/projects.ts";
import { found } from "./apps.ts";
import { MOVED_OBJECTS_MAX, setAppProject, type App } from "./store.ts";

/**
 * Moves an app, with its repository and its bucket, to another project of its organization. Images and objects belong
 * to the app, so only the permissions to reach them change: on this node at once, on others within a second.
 * @throws Problem `not_found`, `project_archived` (one of the two), `conflict` (too many objects)
 */
export async function moveApp(
  deps: OrganizationsDeps,
  caller: Caller,
  app: Pick<App, "id" | "org_id">,
  target: Pick<Project, "id" | "org_id">,
): Promise<App> {
  return changeOrganization(deps, app.org_id, async (tx) => {
    const before = await found(tx, app);
    const to = await foundProject(tx, { id: target.id, org_id: before.org_id });
    if (before.project_id === to.id) return before;
    await requireNoDeletionLock(tx, before);
    for (const state of [before.project_state, to.state]) requireStateAllows({ state }, "apps:write");
    if ((await usageOf(tx, "objects", { org_id: before.org_id, bucket: before.id })).objects > MOVED_OBJECTS_MAX)
      throw new Problem(
        "conflict",
        `Its bucket has more than ${MOVED_OBJECTS_MAX} objects, too many to move at once. Delete some of them, or create a new app.`,
      );
    await setAppProject(tx, before, to.id);
    await moveItems(tx, before.org_id, before.id, to.id);
    await announceAccessChange(deps, tx, before.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: before.org_id,
      action: "app.move",
      target: { kind: "app", id: before.id },
      detail: { slug: before.slug, project: { from: before.project_id, to: to.id } },
    });
    return { ...before, ...columnsOf(to), project_id: to.id, project_slug: to.slug };
  });
}
