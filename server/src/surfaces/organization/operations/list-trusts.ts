import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { trustBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { actingOf, projectFor } from "../resources.ts";

export function listTrusts(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listTrusts> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project =
      query.project === undefined
        ? undefined
        : await projectFor(deps, context.principal, query.project, "credentials:read");
    const { items, next } = await deps.identity.trusts.list(actingOf(context), {
      limit,
      credentialId: query.credential,
      projectId: project?.id,
      after: cursor === undefined ? undefined : positionOf(cursor),
    });
    return {
      items: items.map(trustBody),
      next_cursor: next === null ? null : encodeCursor([next.createdAtMs, next.id]),
    };
  };
}

function positionOf(cursor: string): { createdAtMs: number; id: string } {
  const [createdAtMs, id] = decodeCursor(cursor, ["number", "string"]);
  return { createdAtMs, id };
}
