import { MailFailure, type Mail, type MailMessage } from "#stores/mail/index.ts";

/** The result of a mail, for the person who caused it. */
export interface Sent {
  /** Null: the mail server accepted it. */
  readonly failure: string | null;
}

/**
 * Sends a message. A failure is a result, not an error, because the change that the mail reports was already made. The
 * operator finds the details in the log. The person who typed the address sees why it was refused.
 */
export async function sendTo(
  mail: Mail,
  message: MailMessage,
  log: { warn(fields: object, message: string): void },
): Promise<Sent> {
  try {
    await mail.send(message);
    return { failure: null };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    log.warn({ reason: error.message }, "cannot send a mail");
    const { isRecipient, reply } = error;
    if (isRecipient && reply !== null)
      return { failure: `The mail server does not accept this address: ${reply.code} ${reply.text}` };
    return { failure: "The e-mail could not be sent. The operator finds the reason in the server's log." };
  }
}
