import type { RegistrySurfaceDeps } from "../index.ts";
import { callerOf, TokenRefused } from "../caller.ts";
import { challenge } from "../challenge.ts";
import { sendJson, type Reply, type Request } from "../exchange.ts";

/** `GET /v2/`: whether the caller is signed in. Always a challenge without credentials, since clients look for it nowhere else. */
export async function base(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<Reply> {
  await requireSignedIn(deps, request, reply);
  return sendJson(reply, {});
}

/** @throws RegistryError `UNAUTHORIZED` */
export async function requireSignedIn(deps: RegistrySurfaceDeps, request: Request, reply: Reply) {
  const caller = await callerOf(deps, request).catch((error: unknown) => {
    if (error instanceof TokenRefused) throw challenge(deps, request, { scope: undefined, error: "invalid_token" });
    throw error;
  });
  if (caller.principal === null) throw challenge(deps, request, { scope: undefined });
  deps.host.countRequest(reply, caller.principal.id);
  return caller.principal;
}
