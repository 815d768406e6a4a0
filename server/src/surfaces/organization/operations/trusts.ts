import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { projectIfNamed } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { trustBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { actorContextOf } from "../resources.ts";

export function listTrusts(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listTrusts> {
  return async ({ query }, context) => {
    const { limit, cursor } = pageOf(query);
    const project = await projectIfNamed(deps, context.principal, query.project, "credentials:read");
    const { items, next } = await deps.identity.trusts.list(actorContextOf(context), {
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

export function createTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createTrust> {
  return async ({ params, body }, context) =>
    answering(trustBody, () => identity.trusts.create(actorContextOf(context), params.credential_id, body));
}

export function getTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getTrust> {
  return async ({ params }, context) => trustBody(await identity.trusts.get(actorContextOf(context), params.trust_id));
}

export function testTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.testTrust> {
  return async ({ params, body }, context) => {
    const { checks, ...read } = await identity.trusts.test(actorContextOf(context), params.trust_id, body.assertion);
    return { accepted: checks.every(({ result }) => result === "pass"), ...read, checks };
  };
}

export function deleteTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteTrust> {
  return async ({ params }, context) => {
    const { propagated } = await identity.trusts.delete(actorContextOf(context), params.trust_id);
    return { propagated };
  };
}
