import { appendAudit } from "#domain/audit/index.ts";
import { holds } from "#domain/identity/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { auditOrigin, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { requireEnd, requireWithinEnd } from "../members/ends.ts";
import { findProjectMember, maintainerAddresses, putProjectRole, type ProjectMember } from "./store.ts";
import { found } from "./projects.ts";

const DAY_MS = 86_400_000;
const ENTERED_MS = DAY_MS;
const ENTERED_MS_MAX = 30 * DAY_MS;

export interface Entered {
  readonly member: ProjectMember;
  readonly project: Project;
  readonly endsAtMs: number;
  /** The e-mail addresses of the maintainers, for the mail about it. */
  readonly maintainers: readonly string[];
}

/**
 * Makes an owner a member of a private project for a time. With their role in the organization, they have all
 * permissions there. The act is in the audit log with the reason.
 * @throws Problem `not_found`, `forbidden` (not an owner, or a program), `conflict` (not private, or a member already),
 * `invalid_body` (the end)
 */
export async function enterProject(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  { reason, endsAtMs: wanted }: { readonly reason: string; readonly endsAtMs: number | null | undefined },
): Promise<Entered> {
  const { principal } = caller;
  if (principal.kind !== "person" || principal.role !== "owner")
    throw new Problem("forbidden", "Only an owner can enter a private project, and no program.", { decidedBy: "role" });
  return changeOrganization(deps, project.org_id, async (tx) => {
    const row = await found(tx, project);
    if (holds(principal, "projects:write", { orgId: row.org_id, project: row }))
      throw new Problem("conflict", "You have access to this project already.");
    const nowMs = deps.clock.nowMs();
    const endsAtMs = wanted ?? nowMs + ENTERED_MS;
    requireEnd(endsAtMs, nowMs);
    requireWithinEnd(principal.endsAtMs, endsAtMs);
    if (endsAtMs > nowMs + ENTERED_MS_MAX)
      throw new Problem("invalid_body", "An owner can enter a project for 30 days at most.", {
        errors: [{ pointer: "/expires_at", detail: "must be within 30 days" }],
      });
    const named = { org_id: row.org_id, project_id: row.id, user_id: principal.id };
    const entry = { entered_at: nowMs, entered_reason: reason };
    await putProjectRole(tx, { ...named, role: "reader", created_at: nowMs, expires_at: endsAtMs }, entry);
    await announceAccessChange(deps, tx, row.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: row.org_id,
      action: "project.enter",
      target: { kind: "project", id: row.id },
      detail: { slug: row.slug, reason, expires_at: isoFromMs(endsAtMs) },
    });
    const member = await findProjectMember(tx, row, principal.id);
    if (member === undefined) throw new Error("the membership that was just written is missing");
    return { member, project: row, endsAtMs, maintainers: await maintainerAddresses(tx, row, nowMs) };
  });
}
