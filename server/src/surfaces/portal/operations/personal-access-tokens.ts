import { createPersonalToken, deletePersonalToken, listPersonalTokens } from "#domain/people/index.ts";
import { isoFromMs, msFromIso } from "#kernel/time.ts";
import type { PortalOperation } from "../deps.ts";
import { personalTokenBody } from "../model.ts";
import { originOf } from "../origin.ts";

export const listPersonalAccessTokens: PortalOperation<"listPersonalAccessTokens"> = async (
  deps,
  _input,
  { session },
) => ({
  items: (await listPersonalTokens(deps.people, session)).map(personalTokenBody),
});

export const createPersonalAccessToken: PortalOperation<"createPersonalAccessToken"> = async (
  deps,
  { body },
  context,
) => {
  const { expires_at: expiresAt, ...rest } = body;
  const expiresAtMs = typeof expiresAt === "string" ? msFromIso(expiresAt) : expiresAt;
  const input = { ...rest, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
  const { credential, token } = await createPersonalToken(deps.people, context.session, input, originOf(context));
  void context.reply.header("cache-control", "no-store");
  return {
    token,
    item: {
      id: credential.id,
      name: credential.name,
      organization: body.organization,
      scopes: [...credential.scopes],
      created_at: isoFromMs(credential.createdAtMs),
      expires_at: credential.expiresAtMs === null ? null : isoFromMs(credential.expiresAtMs),
      last_used_at: null,
      pending: credential.isPending,
    },
  };
};

export const deletePersonalAccessToken: PortalOperation<"deletePersonalAccessToken"> = async (
  deps,
  { params },
  context,
) => {
  await deletePersonalToken(deps.people, context.session, params.token_id, originOf(context));
};
