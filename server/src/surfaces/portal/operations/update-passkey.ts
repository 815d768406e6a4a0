import type { PORTAL_ROUTES } from "@mooring/contract";
import { renamePasskey } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { passkeyBody } from "../model.ts";
import { originOf } from "../origin.ts";

export function updatePasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.updatePasskey> {
  return async ({ params, body }, context) =>
    passkeyBody(
      await renamePasskey(deps.people, context.session, { id: params.passkey_id, name: body.name }, originOf(context)),
    );
}
