import type { MailMessage } from "#stores/mail/index.ts";

/** The server's mails to people. Plain text: nothing in it can be markup, not even the name of an organization. */

export function invitationMail(
  to: string,
  about: { organization: string; role: string; inviter: string | null; link: string; expiresAtMs: number },
): MailMessage {
  const { organization, role, inviter, link, expiresAtMs } = about;
  const who = inviter === null ? "You are invited" : `${inviter} invites you`;
  const text = `${who} to the organization ${organization}, as ${role}.

Open this link to accept. It is for you alone, and works once, until ${day(expiresAtMs)}:

${link}

If you did not expect this, do nothing: the link ends by itself.
`;
  return { to, subject: `Invitation to ${organization}`, text };
}

export function setupMail(to: string, about: { organization: string; link: string }): MailMessage {
  const text = `You are the owner of the new organization ${about.organization}.

Open this link to set up your account. It is for you alone, and works once, within a day:

${about.link}
`;
  return { to, subject: `Set up ${about.organization}`, text };
}

export function testMail(to: string, portalUrl: string): MailMessage {
  const text = `This is a test of the e-mail settings of ${portalUrl}. Mails arrive.\n`;
  return { to, subject: "Test of e-mail", text };
}

export function day(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
