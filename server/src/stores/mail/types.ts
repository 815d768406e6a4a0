export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  /** Plain text; our mails have no other form. */
  readonly text: string;
}

/** The mail server's reply when it accepted a message (RFC 5321 section 4.2). */
export interface MailTaken {
  readonly code: number;
  readonly text: string;
}

/** Hands messages over to one mail server. */
export interface Mail {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: before anything else is sent; `none`: unencrypted. */
  readonly security: "tls" | "starttls" | "none";
  readonly from: string;
  /**
   * Ends within 20 seconds, with any behaviour of the server.
   * @throws MailFailure
   */
  send(message: MailMessage): Promise<MailTaken>;
}

/** Why a message was not sent, in words that an operator can act on. It has no secret. */
export class MailFailure extends Error {
  /** The server's own reply, where it gave one. */
  readonly reply: MailTaken | null;
  /** It is the recipient's address that the server does not take. */
  readonly isRecipient: boolean;

  constructor(message: string, options: { reply: MailTaken | null; isRecipient: boolean }) {
    super(message);
    this.name = "MailFailure";
    this.reply = options.reply;
    this.isRecipient = options.isRecipient;
  }
}
