import type { PORTAL_ROUTES } from "@mooring/contract";
import { createPersonalToken, deletePersonalToken, listPersonalTokens } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs, msFromIso } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { personalTokenBody } from "../model.ts";
import { originOf } from "../origin.ts";

export function listPersonalAccessTokens(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.listPersonalAccessTokens> {
  return async (_input, { session }) => ({
    items: (await listPersonalTokens(deps.people, session)).map(personalTokenBody),
  });
}

export function createPersonalAccessToken(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.createPersonalAccessToken> {
  return async ({ body }, context) => {
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
}

export function deletePersonalAccessToken(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.deletePersonalAccessToken> {
  return async ({ params }, context) => {
    await deletePersonalToken(deps.people, context.session, params.token_id, originOf(context));
  };
}
