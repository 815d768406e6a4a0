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

/** Tells a maintainer that an owner has entered their private project. */
export function projectEnteredMail(
  to: string,
  about: { organization: string; project: string; owner: string; reason: string; untilMs: number },
): MailMessage {
  const { organization, project, owner, reason, untilMs } = about;
  const text = `The owner ${owner} of ${organization} has entered the private project ${project}, and has all permissions there until ${day(untilMs)}.

The reason that they gave:

${reason}

You get this mail because you maintain the project. The audit log has an entry, too.
`;
  return { to, subject: `${owner} has entered ${project}`, text };
}

export function testMail(to: string, portalUrl: string): MailMessage {
  const text = `This is a test of the e-mail settings of ${portalUrl}. It worked.\n`;
  return { to, subject: "Test of e-mail", text };
}

export function day(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
