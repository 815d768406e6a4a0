import type { Surface } from "#http/index.ts";
import { mountPortal } from "./routes.ts";
import type { PortalSurfaceDeps } from "./deps.ts";

export type {
  BackupState,
  InstanceBackup,
  InstanceBackups,
  InstanceCheck,
  InstanceFacts,
  InstanceRestores,
  NewRestore,
  RestoreState,
  LogLevel,
} from "./instance.ts";

/** The web page, and the operations that only it calls: set-up, sign-in, account, instance. */
export function createPortalSurface(deps: PortalSurfaceDeps): Surface {
  return { name: "portal", mount: (app) => mountPortal(app, deps) };
}
