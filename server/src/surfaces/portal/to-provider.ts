import { beginOidc } from "#domain/people/index.ts";
import { setCookie, type OperationContext } from "#http/index.ts";
import { SIGN_IN_ATTEMPT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "./deps.ts";

/** Binds the provider's redirect to the browser that started the sign-in. */
export const OIDC_COOKIE = "__Host-mooring-oidc";

/**
 * Returns the provider. Requires that the browser uses the host to which the provider redirects.
 * @throws Problem `not_found`, `conflict`
 */
export function requireProvider({ people }: PortalSurfaceDeps, host: string | undefined, act: string) {
  if (people.provider === null) throw new Problem("not_found", "This server has no single sign-on.");
  const { origin, localhostOrigin } = people.portal;
  if (host !== new URL(origin).host && localhostOrigin !== null)
    throw new Problem("conflict", `${act} at ${origin}, because the provider redirects to that address.`);
  return people.provider;
}

/**
 * Returns the provider's address for the browser, and sets the cookie for the redirect back.
 * @throws Problem `unavailable`
 */
export async function toProvider(
  deps: PortalSurfaceDeps,
  { request, reply }: Pick<OperationContext, "request" | "reply">,
  { at, asked }: { readonly at: string; readonly asked: Parameters<typeof beginOidc>[2] },
): Promise<{ url: string }> {
  const provider = requireProvider(deps, request.headers.host, at);
  const { url, ticket } = await beginOidc(deps.people, provider, asked).catch((cause: unknown) => {
    throw new Problem("unavailable", "The sign-in provider does not answer. Try again shortly.", { cause });
  });
  setCookie(reply, OIDC_COOKIE, ticket, SIGN_IN_ATTEMPT_MS / 1000);
  void reply.header("cache-control", "no-store");
  return { url: url.href };
}
