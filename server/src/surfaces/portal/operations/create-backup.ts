import type { PORTAL_ROUTES } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** Recorded before it begins, so that the backup has the entry about itself. */
export function createBackup(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createBackup> {
  return async (_input, context) => {
    const { reason, running } = deps.backups.state();
    if (reason === null && running === null) {
      const event = { action: "backup.create", target: { kind: "backup", id: "new" }, detail: {} };
      await auditInstance(deps.people, context.session, event, originOf(context));
    }
    await deps.backups.begin();
    return undefined;
  };
}
