import type { Loss } from "#domain/identity/index.ts";
import { lossMail } from "#domain/mail/index.ts";
import { getOrganization, managersOf } from "#domain/organizations/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";

/**
 * Returns a function that mails the losses of an act to the managers of the credentials. `act` completes "In the
 * organization …,". The actor gets no mail, because the answer or the dry run shows the losses.
 */
export function tellManagers(
  deps: OrganizationSurfaceDeps,
  { principal }: Pick<OperationContext, "principal">,
  act: string,
): (losses: readonly Loss[]) => Promise<void> {
  return async (losses) => {
    const { mail } = deps;
    if (mail === null || losses.length === 0) return;
    const { orgId } = principal;
    const { name: organization } = await getOrganization(deps, orgId);
    const except = principal.kind === "person" ? principal.id : undefined;
    const managers = await managersOf(deps.metadata.read, orgId, losses, { except, nowMs: deps.clock.nowMs() });
    const { portal_url: portalUrl } = deps.addresses;
    await Promise.all(
      managers
        .filter(({ email }) => !email.endsWith(".localhost")) // RFC 6761 section 6.3
        .map(({ email, losses: seen }) =>
          mail.send({ message: lossMail(email, { organization, act, losses: seen, portalUrl }) }),
        ),
    );
  };
}
