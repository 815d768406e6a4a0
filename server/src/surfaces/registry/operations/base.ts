import type { RegistrySurfaceDeps } from "../deps.ts";
import { signedIn } from "../admission.ts";
import { sendJson, type Reply, type Request } from "../exchange.ts";

/**
 * `GET /v2/`: says whether the caller is signed in. Without credentials it always sends a challenge, since clients
 * expect it only here.
 */
export async function base(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<Reply> {
  const { principal } = await signedIn(deps, request);
  deps.host.countRequest(reply, principal.id);
  return sendJson(reply, {});
}
