import type { PORTAL_ROUTES } from "@mooring/contract";
import {
  beginPasskey as begin,
  createPasskey as create,
  deletePasskey as remove,
  passkeysOf,
  renamePasskey,
} from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { passkeyBody } from "../model.ts";
import { originOf } from "../origin.ts";

export function listPasskeys(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listPasskeys> {
  return async (_input, { session }) => ({
    items: (await passkeysOf(deps.people.metadata.read, session.userId)).map(passkeyBody),
  });
}

export function beginPasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginPasskey> {
  return (_input, { session, request, reply }) => {
    void reply.header("cache-control", "no-store");
    return begin(deps.people, session, request.headers.host);
  };
}

export function createPasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createPasskey> {
  return async ({ body }, context) => passkeyBody(await create(deps.people, context.session, body, originOf(context)));
}

export function updatePasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.updatePasskey> {
  return async ({ params, body }, context) =>
    passkeyBody(
      await renamePasskey(deps.people, context.session, { id: params.passkey_id, name: body.name }, originOf(context)),
    );
}

export function deletePasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deletePasskey> {
  return async ({ params }, context) => {
    await remove(deps.people, context.session, params.passkey_id, originOf(context));
  };
}
