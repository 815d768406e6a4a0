export interface MailMessage {
  /** Names the message in `Message-ID`, so that receivers recognize a repetition. Absent: a random one. */
  readonly id?: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. Our mails have no HTML part. */
  readonly text: string;
}

/** The mail server's reply to an accepted message (RFC 5321 section 4.2). */
export interface MailTaken {
  readonly code: number;
  readonly text: string;
}

/** Sends messages through one mail server. */
export interface Mail {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: before any other command. `none`: unencrypted. */
  readonly security: "tls" | "starttls" | "none";
  readonly from: string;
  /**
   * Resolves or rejects within 20 seconds.
   * @throws MailFailure
   */
  send(message: MailMessage): Promise<MailTaken>;
}

/** Tells why a message was not sent, in words that an operator can act on. It contains no secret. */
export class MailFailure extends Error {
  /** The server's own reply, if it gave one. */
  readonly reply: MailTaken | null;
  /** True when the server refused the recipient's address. */
  readonly isRecipient: boolean;

  constructor(message: string, options: { reply: MailTaken | null; isRecipient: boolean }) {
    super(message);
    this.name = "MailFailure";
    this.reply = options.reply;
    this.isRecipient = options.isRecipient;
  }
}
