import type { MailMessage } from "#stores/mail/index.ts";

/**
 * The server's mails to people. They are plain text, so that nothing in them is markup, not even the name of an
 * organization.
 */

export function invitationMail(
  to: string,
  about: { organization: string; role: string; inviter: string | null; link: string; expiresAtMs: number },
): MailMessage {
  const { organization, role, inviter, link, expiresAtMs } = about;
  const who = inviter === null ? "You are invited" : `${inviter} invites you`;
  const text = `${who} to the organization ${organization}, as ${role}.

Open this link to accept. It is only for you, and works once, until ${day(expiresAtMs)}:

${link}

If you did not expect this, do nothing: the link expires.
`;
  return { to, subject: `Invitation to ${organization}`, text };
}

export function setupMail(to: string, about: { organization: string; link: string }): MailMessage {
  const text = `You are the owner of the new organization ${about.organization}.

Open this link to set up your account. It is only for you, and works once, within a day:

${about.link}
`;
  return { to, subject: `Set up ${about.organization}`, text };
}

export function testMail(to: string, portalUrl: string): MailMessage {
  const text = `This is a test of the e-mail settings of ${portalUrl}. It worked.\n`;
  return { to, subject: "Test of e-mail", text };
}

export function day(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
