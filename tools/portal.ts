// node tools/portal.ts: builds the portal into portal/dist, unless it was built from the same sources. Run by npm start and npm test.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPortal } from "./portal/build.ts";

const root = join(fileURLToPath(import.meta.url), "../..");
const elapsedMs = buildPortal(root);
if (elapsedMs !== null) console.error(`built the portal in ${(elapsedMs / 1000).toFixed(1)} s`);
