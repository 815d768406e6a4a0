import { openMail, type Mail } from "#stores/mail/index.ts";
import type { Config } from "./config.ts";

/** Returns the settings of the mail server, or null when none is configured. */
export function mailOf({ smtp_url: url, mail_from: from }: Config): Mail | null {
  return url === null || from === null ? null : openMail({ url, from });
}
