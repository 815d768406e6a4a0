import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { actingOf, projectFor } from "../resources.ts";

export function listCredentials(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listCredentials> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project =
      query.project === undefined
        ? undefined
        : await projectFor(deps, context.principal, query.project, "credentials:read");
    const { items, next } = await deps.identity.credentials.list(actingOf(context), {
      limit,
      includeRevoked: query.include_revoked ?? false,
      ...(project === undefined ? {} : { projectId: project.id }),
      ...(cursor === undefined ? {} : { after: positionOf(cursor) }),
    });
    return {
      items: items.map(credentialBody),
      next_cursor: next === null || next === undefined ? null : encodeCursor([next.createdAtMs, next.id]),
    };
  };
}

function positionOf(cursor: string): { createdAtMs: number; id: string } {
  const [createdAtMs, id] = decodeCursor(cursor, ["number", "string"]);
  return { createdAtMs, id };
}
