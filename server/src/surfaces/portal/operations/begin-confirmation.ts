import type { PORTAL_ROUTES } from "@mooring/contract";
import { beginPasskeyProof } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function beginConfirmation(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginConfirmation> {
  return (_input, { session, request, reply }) => {
    void reply.header("cache-control", "no-store");
    return beginPasskeyProof(deps.people, { kind: "confirmation", userId: session.userId }, request.headers.host);
  };
}
