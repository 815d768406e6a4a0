import type { PORTAL_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";

/** Publishes the next signing key, or returns the one that is already published. */
export function rotateSigningKey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.rotateSigningKey> {
  return async (_input, { session }) => {
    const { alg } = deps.identity.keys.signer();
    const keys = await deps.identity.keys.rotate({ kind: "person", id: session.userId });
    const next = keys.find((key) => key.state === "next" && key.alg === alg);
    if (next === undefined) throw new Error("a rotation made no next key");
    return { kid: next.kid };
  };
}

/** Retires a key: from now on no node accepts its signatures. */
export function retireSigningKey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.retireSigningKey> {
  return ({ params }, { session }) => deps.identity.retireKeyNow(params.kid, { kind: "person", id: session.userId });
}
