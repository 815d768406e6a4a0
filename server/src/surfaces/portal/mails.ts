import { addressVerifiedMail, passwordResetMail, resetMail, sendTo, type Sent } from "#domain/mail/index.ts";
import { resetUrl, type Ended, type MadeLink } from "#domain/accounts/index.ts";
import type { MailMessage } from "#stores/mail/index.ts";
import type { PortalSurfaceDeps } from "./deps.ts";

type Log = Parameters<typeof sendTo>[2];
type Deps = Pick<PortalSurfaceDeps, "mail" | "addresses">;

/**
 * Sends a message if this server has mail and mail can reach the address (RFC 6761 section 6.3). Null: it was not
 * tried.
 */
export async function mailTo({ mail }: Deps, message: MailMessage, log: Log): Promise<Sent | null> {
  return mail === null || message.to.endsWith(".localhost") ? null : sendTo(mail, message, log);
}

export function mailResetLink(deps: Deps, link: MadeLink, log: Log): Promise<Sent | null> {
  const { portal_url: portalUrl } = deps.addresses;
  const about = { portalUrl, link: resetUrl(portalUrl, link.token), expiresAtMs: link.expiresAtMs };
  return mailTo(deps, resetMail(link.email, about), log);
}

/** Mails the person about a change of their account, also if somebody else made it. */
export async function mailVerified(
  deps: Deps,
  proved: { readonly email: string; readonly ended: Ended } | null,
  log: Log,
): Promise<void> {
  const { portal_url: portalUrl } = deps.addresses;
  if (proved !== null) await mailTo(deps, addressVerifiedMail(proved.email, { portalUrl, ended: proved.ended }), log);
}

export async function mailReset(deps: Deps, email: string, log: Log): Promise<void> {
  await mailTo(deps, passwordResetMail(email, { portalUrl: deps.addresses.portal_url }), log);
}
