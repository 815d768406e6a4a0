import { openMail, type Mail } from "#stores/mail/index.ts";
import type { Config } from "./config.ts";

/** The mail server for this server's mails; null where none is set. */
export function mailOf({ smtp_url: url, mail_from: from }: Config): Mail | null {
  return url === null || from === null ? null : openMail({ url, from });
}
