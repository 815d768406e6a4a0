import type { Seals, SealedPlace } from "#domain/identity/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { JobHandler, JobOutcome, Jobs } from "#stores/jobs/index.ts";
import { MailFailure, type Mail, type MailMessage, type MailTaken } from "#stores/mail/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import {
  deleteEarlierMails,
  deleteMail,
  insertMail,
  isInvitationOpen,
  mailById,
  newestMails,
  noteInvitation,
  updateMail,
  type MailRow,
} from "./store.ts";

/** The result of a mail, for the person who caused it. */
export interface Sent {
  /** Null: the mail server accepted it. */
  readonly failure: string | null;
}

export interface MailOrder {
  readonly message: MailMessage;
  /** When its link ends. The mail is not sent after that. */
  readonly expiresAtMs?: number;
  /** The invitation whose link it has. The result is stored with it. */
  readonly invitationId?: string;
}

/** A mail that no mail server has accepted yet. */
export type Undelivered = Omit<MailRow, "body">;

/** Sends mails to people. A mail is stored until a mail server has accepted it. */
export interface Mails extends Pick<Mail, "host" | "port" | "security" | "from"> {
  /**
   * Stores the mail, then tries to send it. The server repeats a failed attempt later, also after a crash. A failure is
   * a result, not an error, because the change that the mail reports was already made.
   */
  send(order: MailOrder): Promise<Sent>;
  /** Sends a message once, without storing it. @throws MailFailure */
  sendOnce(message: MailMessage): Promise<MailTaken>;
  /** Returns the newest mails that wait or have failed. */
  undelivered(): Promise<Undelivered[]>;
  readonly handler: JobHandler;
}

export interface MailParts {
  readonly mail: Mail;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly envelope: Pick<Seals, "seal" | "open">;
  readonly log: { warn(fields: object, message: string): void };
}

const KIND = "mail.send";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The wait after each failed attempt. */
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS];
/** Mails without a link. All attempts fit in. */
const LIFETIME_MS = DAY_MS;
/** A stored mail is tried by the job if the process ends during the first attempt, which takes at most 20 seconds. */
const FIRST_ATTEMPT_MS = 30_000;
/** The operator sees failed mails for this time. */
const FAILED_SHOWN_MS = 30 * DAY_MS;
const SHOWN_MAX = 50;
const CONCURRENCY = 4;

export function createMails(parts: MailParts): Mails {
  const { mail, metadata, clock, jobs, envelope } = parts;
  const { host, port, security, from } = mail;
  return {
    host,
    port,
    security,
    from,
    sendOnce: (message) => mail.send(message),
    undelivered: () => newestMails(metadata.read, SHOWN_MAX),
    send: async ({ message, expiresAtMs, invitationId }) => {
      const nowMs = clock.nowMs();
      const id = newId("mail", nowMs);
      const row: MailRow = {
        id,
        recipient: message.to,
        subject: message.subject,
        body: envelope.seal(placeOf(id), Buffer.from(message.text)),
        invitation_id: invitationId ?? null,
        attempts: 0,
        failure: null,
        failed_at: null,
        next_at: nowMs + FIRST_ATTEMPT_MS,
        created_at: nowMs,
        expires_at: expiresAtMs ?? nowMs + LIFETIME_MS,
      };
      await metadata.write(async (tx) => {
        if (invitationId !== undefined) await deleteEarlierMails(tx, invitationId);
        await insertMail(tx, row);
        await jobs.put(tx, { kind: KIND, key: id, group: KIND, dueAtMs: row.next_at ?? nowMs });
      });
      const attempted = await attempt(parts, row);
      const { failure, dueAtMs } = attempted;
      await metadata.write(async (tx) => {
        await attempted.commit(tx);
        if (dueAtMs === null) await jobs.remove(tx, KIND, id);
        else await jobs.put(tx, { kind: KIND, key: id, group: KIND, dueAtMs });
      });
      return { failure };
    },
    handler: {
      kind: KIND,
      concurrency: CONCURRENCY,
      concurrencyPerGroup: CONCURRENCY,
      waitMsMax: FAILED_SHOWN_MS + DAY_MS,
      run: ({ key }) => runJob(parts, key),
      retryMs: () => MINUTE_MS,
    },
  };
}

function placeOf(id: string): SealedPlace {
  return { table: "mail", id, purpose: "answer", version: 1 };
}

async function runJob(parts: MailParts, id: string): Promise<JobOutcome> {
  const row = await mailById(parts.metadata.read, id);
  if (row === undefined) return { dueAtMs: null };
  const { failed_at: failedAtMs, invitation_id: invitationId } = row;
  const isNeeded = invitationId === null || (await isInvitationOpen(parts.metadata.read, invitationId));
  if (failedAtMs !== null || !isNeeded) return { dueAtMs: null, commit: async (tx) => void (await deleteMail(tx, id)) };
  return attempt(parts, row);
}

interface Attempted extends Sent {
  /** Null: nothing remains to be done. */
  readonly dueAtMs: number | null;
  commit(tx: Writer): Promise<void>;
}

/** Tries to send the mail, and returns what to store. */
async function attempt(parts: MailParts, row: MailRow): Promise<Attempted> {
  const { mail, clock, envelope, log } = parts;
  const { id, recipient: to, subject } = row;
  if (row.body === null || clock.nowMs() >= row.expires_at)
    return failed(parts, row, "Its link has expired before a mail server accepted the mail.");
  try {
    const text = Buffer.from(envelope.open(placeOf(id), row.body)).toString();
    await mail.send({ to, subject, text, id });
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const attempts = row.attempts + 1;
    log.warn({ mail: id, attempts, reason: error.message }, "cannot send a mail");
    return afterFailure(parts, { ...row, attempts }, error);
  }
  const sentAtMs = clock.nowMs();
  const commit = async (tx: Writer): Promise<void> => {
    const isNewest = await deleteMail(tx, id);
    if (isNewest && row.invitation_id !== null)
      await noteInvitation(tx, row.invitation_id, { sentAtMs, failure: null });
  };
  return { failure: null, dueAtMs: null, commit };
}

/** A refused address is final (RFC 5321 section 4.2.1). Everything else may work later. */
function afterFailure(parts: MailParts, row: MailRow, { isRecipient, reply, message }: MailFailure): Attempted {
  const isFinal = isRecipient && reply !== null && reply.code >= 500;
  if (isFinal) return failed(parts, row, `The mail server does not accept this address: ${reply.code} ${reply.text}`);
  const wait = RETRY_MS[row.attempts - 1];
  if (wait === undefined) return failed(parts, row, `No mail server accepted the mail in ${row.attempts} attempts.`);
  const nextAtMs = parts.clock.nowMs() + wait;
  if (nextAtMs >= row.expires_at) return failed(parts, row, "Its link expires before the next attempt.");
  const said =
    isRecipient && reply !== null
      ? `The mail server does not accept this address now: ${reply.code} ${reply.text}. `
      : "";
  const failure = `${said}The e-mail could not be sent yet. The server tries again. The operator finds the reason under Instance, E-mail.`;
  const change = { attempts: row.attempts, failure: message, next_at: nextAtMs };
  return { failure, dueAtMs: nextAtMs, commit: (tx) => settle(tx, row, change, failure) };
}

/** Keeps the mail without its text, so that the operator sees it. */
function failed({ clock }: MailParts, row: MailRow, failure: string): Attempted {
  const nowMs = clock.nowMs();
  const change = { attempts: row.attempts, failure, failed_at: nowMs, next_at: null, body: null };
  return { failure, dueAtMs: nowMs + FAILED_SHOWN_MS, commit: (tx) => settle(tx, row, change, failure) };
}

async function settle(tx: Writer, row: MailRow, change: Partial<MailRow>, failure: string): Promise<void> {
  const isNewest = await updateMail(tx, row.id, change);
  if (isNewest && row.invitation_id !== null) await noteInvitation(tx, row.invitation_id, { sentAtMs: null, failure });
}
