import { createJobs, Schedule } from "#stores/jobs/index.ts";
import type { Mail } from "#stores/mail/index.ts";
import { createMails, type MailParts, type Mails } from "../queue.ts";

/** Returns mails that are stored, but whose jobs never run. */
export function mailsOf(mail: Mail | undefined, parts: Omit<MailParts, "jobs" | "mail">): Mails | null {
  if (mail === undefined) return null;
  return createMails({ ...parts, mail, jobs: createJobs({ ...parts, schedule: new Schedule(parts.clock) }) });
}
