import { appendAudit } from "#domain/audit/index.ts";
import { LOCKABLE, setProject, type Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";
import { found } from "./projects.ts";

/**
 * Sets the deletion lock of a project, or removes it: while it has one, the project, its apps with their buckets
 * and repositories, and its webhooks can't be deleted. Does nothing if that is already so.
 * @throws Problem `not_found`; `conflict` without the label; `forbidden` for a removal by a program or by another role
 */
export async function setDeletionLock(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  isLocked: boolean,
): Promise<Project> {
  return changeOrganization(deps, project.org_id, async (tx) => {
    const before = await found(tx, project);
    if ((before.deletion_lock === 1) === isLocked) return before;
    if (isLocked) requireLabel(before);
    else requireMayRemove(caller);
    const after = { ...before, deletion_lock: isLocked ? 1 : 0 };
    await setProject(tx, after);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: after.org_id,
      action: isLocked ? "project.lock" : "project.unlock",
      target: { kind: "project", id: after.id },
      detail: { slug: after.slug },
    });
    return after;
  });
}

/** @throws Problem `conflict` */
function requireLabel({ environment }: Project): void {
  if (environment === LOCKABLE) return;
  throw new Problem(
    "conflict",
    `Only a project with the environment ${LOCKABLE} can have a deletion lock. Change its environment first.`,
  );
}

/** A program can't remove the lock, because the lock protects from programs that go wrong. @throws Problem `forbidden` */
function requireMayRemove({ principal }: Caller): void {
  if (principal.kind === "system") return;
  const isPerson = principal.kind === "person" && principal.via?.kind !== "personal_token";
  if (isPerson && principal.role === "owner") return;
  throw new Problem("forbidden", "Only an owner, as a person, can remove the deletion lock of a project.", {
    decidedBy: "role",
  });
}
