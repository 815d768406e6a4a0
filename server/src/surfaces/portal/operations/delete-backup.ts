import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deleteBackup(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteBackup> {
  return async ({ params: { name } }, context) => {
    if (!(await deps.backups.delete(name))) throw new Problem("not_found", "There is no backup of this name.");
    const event = { action: "backup.delete", target: { kind: "backup", id: name }, detail: {} };
    await auditInstance(deps.people, context.session, event, originOf(context));
    return undefined;
  };
}
