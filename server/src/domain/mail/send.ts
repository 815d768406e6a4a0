import { MailFailure, type Mail, type MailMessage } from "#stores/mail/index.ts";

/** What came of a mail, as those may know who asked for it. */
export interface Sent {
  /** Null: the mail server took it. */
  readonly failure: string | null;
}

/**
 * Hands a message over. A failure is an answer, not an error: what the mail is about was done already. Its whole story is for those
 * who run the server, in the log; a refusal of the address is for whoever typed it.
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
    return { failure: "The e-mail could not be sent. Whoever runs the server finds why in its log." };
  }
}
