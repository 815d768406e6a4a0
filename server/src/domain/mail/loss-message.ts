import type { MailMessage } from "#stores/mail/index.ts";

export interface ShownLoss {
  readonly id: string;
  readonly name: string;
  readonly loses: readonly string[];
  readonly reason: string;
}

/** A long list is cut, because the portal has it. */
const SHOWN_MAX = 50;

/** Tells a manager that credentials lost permissions. */
export function lossMail(
  to: string,
  about: { organization: string; act: string; losses: readonly ShownLoss[]; portalUrl: string },
): MailMessage {
  const { organization, act, losses, portalUrl } = about;
  const rest = losses.length - SHOWN_MAX;
  const lines = losses.slice(0, SHOWN_MAX).map(lineOf);
  const text = `In the organization ${organization}, ${act}. These credentials lost permissions:

${[...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n")}

Programs that use them may fail. You can adopt or replace a credential at ${portalUrl}/credentials,
and an S3 key at ${portalUrl}/s3-keys. The audit log has the details (credential.reduced, s3_key.reduced).
`;
  const subject =
    losses.length === 1 ? "A credential lost permissions" : `${losses.length} credentials lost permissions`;
  return { to, subject: `${subject} in ${organization}`, text };
}

function lineOf({ id, name, loses, reason }: ShownLoss): string {
  return `- ${name} (${id}): ${loses.join(" ")}\n  Reason: ${reason}`;
}
