// node tools/portal.ts: builds the portal into portal/dist, unless it was built from the same sources. Run by npm start and npm test.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPortal, isPortalBuilt } from "./portal/build.ts";
import { withLock } from "./setup/lock.mjs";

const root = join(fileURLToPath(import.meta.url), "../..");
// Only a build takes the lock, because a checkout with a finished build may be read-only.
if (!isPortalBuilt(root)) {
  const elapsedMs = await withLock(join(root, ".portal.lock"), () => buildPortal(root));
  if (elapsedMs !== null) console.error(`built the portal in ${(elapsedMs / 1000).toFixed(1)} s`);
}
