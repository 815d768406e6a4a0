import { answering } from "#domain/idempotency/index.ts";
import { projectIfNamed } from "#domain/organizations/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationOperation } from "../deps.ts";
import { trustBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { actorContextOf } from "../resources.ts";

export const listTrusts: OrganizationOperation<"listTrusts"> = async (deps, { query }, context) => {
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

function positionOf(cursor: string): { createdAtMs: number; id: string } {
  const [createdAtMs, id] = decodeCursor(cursor, ["number", "string"]);
  return { createdAtMs, id };
}

export const createTrust: OrganizationOperation<"createTrust"> = async ({ identity }, { params, body }, context) =>
  answering(trustBody, () => identity.trusts.create(actorContextOf(context), params.credential_id, body));

export const getTrust: OrganizationOperation<"getTrust"> = async ({ identity }, { params }, context) =>
  trustBody(await identity.trusts.get(actorContextOf(context), params.trust_id));

export const testTrust: OrganizationOperation<"testTrust"> = async ({ identity }, { params, body }, context) => {
  const { checks, ...read } = await identity.trusts.test(actorContextOf(context), params.trust_id, body.assertion);
  return { accepted: checks.every(({ result }) => result === "pass"), ...read, checks };
};

export const deleteTrust: OrganizationOperation<"deleteTrust"> = async ({ identity }, { params }, context) => {
  const { propagated } = await identity.trusts.delete(actorContextOf(context), params.trust_id);
  return { propagated };
};
