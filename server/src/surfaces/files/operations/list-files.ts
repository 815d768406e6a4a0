import type { FILE_ROUTES } from "@mooring/contract";
import { listFiles as list } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileBody } from "../model.ts";
import { placeFor } from "../resources.ts";

/** A list waits so long for what has arrived upstream to become files; the rest is in the next one. */
const SETTLE_MS = 5000;

export function listFiles(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.listFiles> {
  return async ({ query }, { principal }) => {
    const { limit = 50, offset = 0, prefix, project } = query;
    const named = project === undefined ? null : await placeFor(deps, principal, project, "files:read");
    await deps.arrivals?.settleAll(principal.orgId, SETTLE_MS);
    const page = await list(deps, principal, { limit, offset, prefix, projectId: named ?? undefined });
    return {
      data: {
        files: page.files.map(fileBody),
        total: page.total,
        ...(page.isCut ? { total_is_lower_bound: true } : {}),
      },
    };
  };
}
