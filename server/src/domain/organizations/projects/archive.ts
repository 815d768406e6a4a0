import { appendAudit } from "#domain/audit/index.ts";
import { setProjectState, type Project } from "#domain/projects/index.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { found } from "./projects.ts";

/**
 * Archives a project, or unarchives it. Does nothing if it already has that state. Every node refuses changes in an
 * archived project within a second, for issued tokens, too.
 * @throws Problem `not_found`
 */
export async function archiveProject(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  { archived }: { archived: boolean },
): Promise<Project> {
  return changeOrganization(deps, project.org_id, async (tx) => {
    const before = await found(tx, project);
    const state = archived ? "archived" : "active";
    if (before.state === state) return before;
    const after = await setProjectState(tx, before, { state, atMs: deps.clock.nowMs() });
    await announceAccessChange(deps, tx, after.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: after.org_id,
      action: archived ? "project.archive" : "project.unarchive",
      target: { kind: "project", id: after.id },
      detail: { slug: after.slug },
    });
    return after;
  });
}
