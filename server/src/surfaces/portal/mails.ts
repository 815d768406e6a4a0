import { addressVerifiedMail, passwordResetMail, resetMail, type Sent } from "#domain/mail/index.ts";
import { resetUrl, type Ended, type MadeLink } from "#domain/accounts/index.ts";
import type { MailMessage } from "#stores/mail/index.ts";
import type { PortalSurfaceDeps } from "./deps.ts";

type Deps = Pick<PortalSurfaceDeps, "mail" | "addresses">;

/**
 * Sends a message if this server has mail and mail can reach the address (RFC 6761 section 6.3). Null: it was not
 * tried.
 */
export async function mailTo({ mail }: Deps, message: MailMessage, expiresAtMs?: number): Promise<Sent | null> {
  if (mail === null || message.to.endsWith(".localhost")) return null;
  return mail.send({ message, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) });
}

export function mailResetLink(deps: Deps, link: MadeLink): Promise<Sent | null> {
  const { portal_url: portalUrl } = deps.addresses;
  const about = { portalUrl, link: resetUrl(portalUrl, link.token), expiresAtMs: link.expiresAtMs };
  return mailTo(deps, resetMail(link.email, about), link.expiresAtMs);
}

/** Mails the person about a change of their account, also if somebody else made it. */
export async function mailVerified(
  deps: Deps,
  proved: { readonly email: string; readonly ended: Ended } | null,
): Promise<void> {
  const { portal_url: portalUrl } = deps.addresses;
  if (proved !== null) await mailTo(deps, addressVerifiedMail(proved.email, { portalUrl, ended: proved.ended }));
}

export async function mailReset(deps: Deps, email: string): Promise<void> {
  await mailTo(deps, passwordResetMail(email, { portalUrl: deps.addresses.portal_url }));
}
