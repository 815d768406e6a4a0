import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import {
  createOperatorToken as createToken,
  creatorOf,
  giveOperatorRole as give,
  listOperators as list,
  personNamed,
  listOperatorTokens as tokens,
  revokeOperatorToken as revoke,
  takeOperatorRole as take,
  type Operator,
  type OperatorToken,
} from "#domain/operator/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { operatorOf, requirePerson } from "../origin.ts";

type Rows = typeof PORTAL_ROUTES;

export const listOperators: PortalOperation<"listOperators"> = async (deps) => ({
  items: (await list(deps)).map(operatorBody),
});

export const giveOperatorRole: PortalOperation<"giveOperatorRole"> = async (deps, { body }, context) => {
  requirePerson(context);
  return operatorBody(await give(deps, operatorOf(context), { email: body.email }));
};

export const takeOperatorRole: PortalOperation<"takeOperatorRole"> = async (deps, { params }, context) => {
  requirePerson(context);
  await take(deps, operatorOf(context), personNamed(params.user_id));
  return undefined;
};

export const listOperatorTokens: PortalOperation<"listOperatorTokens"> = async (deps) => {
  const items = [];
  for (const token of await tokens(deps)) items.push(await tokenBody(deps, token));
  return { items };
};

export const createOperatorToken: PortalOperation<"createOperatorToken"> = async (deps, { body }, context) => {
  requirePerson(context);
  const { name, expires_at: end = null } = body;
  const expiresAtMs = end === null ? null : Date.parse(end);
  const { token, secret } = await createToken(deps, operatorOf(context), { name, expiresAtMs });
  void context.reply.header("cache-control", "no-store");
  return { token: secret, item: await tokenBody(deps, token) };
};

export const revokeOperatorToken: PortalOperation<"revokeOperatorToken"> = async (deps, { params }, context) => {
  await revoke(deps, operatorOf(context), params.token_id);
  return undefined;
};

function operatorBody({
  id,
  email,
  name,
  last_seen_at: at,
  password_hash,
}: Operator): ResultOf<Rows["giveOperatorRole"]> {
  const last_seen_at = at === null ? null : isoFromMs(at);
  return { id, email, name, last_seen_at, is_set_up: at !== null || password_hash !== null };
}

async function tokenBody(
  deps: PortalSurfaceDeps,
  token: OperatorToken,
): Promise<ResultOf<Rows["listOperatorTokens"]>["items"][number]> {
  const { id, name, expires_at: end, last_used_at: used } = token;
  return {
    id,
    name,
    created_by: await creatorOf(deps, token),
    created_at: isoFromMs(token.created_at),
    expires_at: end === null ? null : isoFromMs(end),
    last_used_at: used === null ? null : isoFromMs(used),
  };
}
