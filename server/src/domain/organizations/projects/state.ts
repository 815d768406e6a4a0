import { PROJECT_STATE_RULES, type LimitedState } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { setProjectState, type Project } from "#domain/projects/index.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { found } from "./projects.ts";

/**
 * Brings a project into a state (archives it), or out of it. Does nothing if that is already so. Every node refuses what
 * the state forbids within a second, for issued tokens, too.
 * @throws Problem `not_found`
 */
export async function changeProjectState(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  { act, state }: { act: "enter" | "leave"; state: LimitedState },
): Promise<Project> {
  return changeOrganization(deps, project.org_id, async (tx) => {
    const before = await found(tx, project);
    if ((before.state === state) === (act === "enter")) return before;
    const target = act === "enter" ? state : "active";
    const after = await setProjectState(tx, before, { state: target, atMs: deps.clock.nowMs() });
    await announceAccessChange(deps, tx, after.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: after.org_id,
      action: `project.${PROJECT_STATE_RULES[state].verbs[act]}`,
      target: { kind: "project", id: after.id },
      detail: { slug: after.slug },
    });
    return after;
  });
}
