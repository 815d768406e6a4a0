import { beginOidc } from "#domain/people/index.ts";
import { setCookie, type OperationContext } from "#http/index.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "./deps.ts";

/** Binds what the provider sends back to the browser that was sent there. */
export const OIDC_COOKIE = "__Host-mooring-oidc";

/** The provider of people's sign-ins, where the browser asks by the name that it sends back to. @throws Problem `not_found`, `conflict` */
export function requireProvider({ people }: PortalSurfaceDeps, host: string | undefined, act: string) {
  if (people.provider === null) throw new Problem("not_found", "There is no single sign-on at this server.");
  const { origin, localhostOrigin } = people.portal;
  if (host !== new URL(origin).host && localhostOrigin !== null)
    throw new Problem("conflict", `${act} at ${origin}: that service sends back there.`);
  return people.provider;
}

/** Where a page of the portal sends the browser, with the cookie of the way back set. @throws Problem `unavailable` */
export async function toProvider(
  deps: PortalSurfaceDeps,
  { request, reply }: Pick<OperationContext, "request" | "reply">,
  { at, asked }: { readonly at: string; readonly asked: Parameters<typeof beginOidc>[2] },
): Promise<{ url: string }> {
  const provider = requireProvider(deps, request.headers.host, at);
  const { url, ticket } = await beginOidc(deps.people, provider, asked).catch((cause: unknown) => {
    throw new Problem("unavailable", "The service at which you sign in does not answer. Try again shortly.", { cause });
  });
  setCookie(reply, OIDC_COOKIE, ticket, SIGN_IN_ATTEMPT_MS / 1000);
  void reply.header("cache-control", "no-store");
  return { url: url.href };
}
