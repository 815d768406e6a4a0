import { MailFailure, type Mail, type MailMessage } from "#stores/mail/index.ts";

/** The result of a mail, for the person who asked for it. */
export interface Sent {
  /** Null: the mail server took it. */
  readonly failure: string | null;
}

/**
 * Sends a message. A failure is a result, not an error: the act that the mail reports was done already. The operator
 * finds the details in the log; the person who typed the address gets the refusal of the address.
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
      return { failure: `The mail server does not take this address: ${reply.code} ${reply.text}` };
    return { failure: "The e-mail could not be sent. The operator finds the reason in the server's log." };
  }
}
