import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listAccessKeys } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { actingOf, keyDepsOf, projectFor } from "../resources.ts";

export function listS3Keys(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listS3Keys> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project =
      query.project === undefined
        ? undefined
        : await projectFor(deps, context.principal, query.project, "credentials:read");
    const keys = await listAccessKeys(keyDepsOf(deps), actingOf(context), {
      projectId: project?.id,
      includeRevoked: query.include_revoked ?? false,
      beforeId: cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0],
      limit: limit + 1,
    });
    const items = keys.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(s3KeyBody),
      next_cursor: keys.length > limit && last !== undefined ? encodeCursor([last.id]) : null,
    };
  };
}
