import type { Ended } from "#domain/accounts/index.ts";
import type { MailMessage } from "#stores/mail/index.ts";
import { day } from "./messages.ts";

/** Mails to people about their account. */

export function resetMail(to: string, about: { portalUrl: string; link: string; expiresAtMs: number }): MailMessage {
  const text = `Somebody asked for a new password, or to verify this address, at ${about.portalUrl}.

Open this link to set a new password. It is for you alone, and works once, until ${day(about.expiresAtMs)}. Every session of your account ends then.

${about.link}

If it was not you, do nothing: your account stays as it is, and the link expires.
`;
  return { to, subject: "Set a new password", text };
}

export function passwordResetMail(to: string, { portalUrl }: { portalUrl: string }): MailMessage {
  const text = `Your password at ${portalUrl} was changed with a one-time link, and all earlier sessions have ended.

If it was not you, ask for a new link at ${portalUrl}/reset at once, and tell the operator of the server.
`;
  return { to, subject: "Your password was changed", text };
}

export function addressVerifiedMail(
  to: string,
  { portalUrl, ended }: { portalUrl: string; ended: Ended },
): MailMessage {
  const text = `Your address was verified for the first time at ${portalUrl}. Before that, somebody else
with an invitation link to your address could have set up the account. So we ended everything that was set up earlier:

${endedParts(ended)
  .map((part) => `- ${part}`)
  .join("\n")}

Set up again the parts that you use, at ${portalUrl}/account.
`;
  return { to, subject: "Your address is verified", text };
}

export function addressChangedMail(
  to: string,
  { portalUrl, to: next }: { portalUrl: string; to: string },
): MailMessage {
  const text = `The account at ${portalUrl} changed its address to ${next}. You can no longer sign in with this address.

If it was not you, tell the operator of the server.
`;
  return { to, subject: "Your sign-in address was changed", text };
}

function endedParts(ended: Ended): string[] {
  const counted = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  return [
    ...(ended.password ? ["the password"] : []),
    ...(ended.second_factor ? ["the authenticator app and its recovery codes"] : []),
    ...counted(ended.passkeys, "passkey", "passkeys"),
    ...counted(ended.sessions, "session", "sessions"),
    ...counted(ended.tokens, "personal access token", "personal access tokens"),
    ...counted(
      ended.identities,
      "identity at the single sign-on provider",
      "identities at the single sign-on provider",
    ),
  ];
}
