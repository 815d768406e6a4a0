import type { SMTPTransportOptions } from "nodemailer/lib/smtp-transport";
import { MailFailure, type Mail, type MailMessage, type MailTaken } from "./types.ts";
import { parseSmtpUrl, serverNameOf, type SmtpServer } from "./server.ts";

const CONNECT_MS = 10_000;
const WHOLE_MS = 20_000;
const REPLY_CHARS_MAX = 500;

export interface MailOptions {
  /** See `parseSmtpUrl`. */
  readonly url: string;
  /** `noreply@example.com` or `Mooring <noreply@example.com>`. */
  readonly from: string;
  /** PEM of the certificate authorities to trust instead of the system's. */
  readonly ca?: string;
  /** Address of an HTTP proxy, with its user and password. */
  readonly proxyUrl?: string | undefined;
  /** How long one whole message may take. */
  readonly timeoutMs?: number;
}

/**
 * Creates a mail sender. It connects only to send a message.
 * @throws Error for an invalid URL
 */
export function openMail({ url, from, ca, proxyUrl, timeoutMs = WHOLE_MS }: MailOptions): Mail {
  const server = parseSmtpUrl(url);
  const options = transportOptions(server, { ca, proxyUrl, connectMs: Math.min(CONNECT_MS, timeoutMs) });
  return {
    host: server.host,
    port: server.port,
    security: server.security,
    from,
    send: (message) => send(server, { options, from, timeoutMs }, message),
  };
}

function transportOptions(
  server: SmtpServer,
  { ca, proxyUrl, connectMs }: { ca: string | undefined; proxyUrl: string | undefined; connectMs: number },
): SMTPTransportOptions {
  const { host, port, security, user, password } = server;
  const servername = serverNameOf(host);
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    tls: {
      minVersion: "TLSv1.2",
      ...(servername === undefined ? {} : { servername }),
      ...(ca === undefined ? {} : { ca }),
    },
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: connectMs,
    ...(proxyUrl === undefined ? {} : { proxy: proxyUrl }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function send(
  server: SmtpServer,
  { options, from, timeoutMs }: { options: SMTPTransportOptions; from: string; timeoutMs: number },
  { id, to, subject, text }: MailMessage,
): Promise<MailTaken> {
  // Loaded with the first mail, because most processes send none.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(options);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // An object is always one address. A string would be parsed as a list.
    const messageId = id === undefined ? {} : { messageId: `<${id}@${domainOf(from)}>` };
    const message = { from, to: { name: "", address: to }, subject, text, ...messageId, signal };
    const { response } = await transport.sendMail(message);
    return replyOf(server, response) ?? { code: 250, text: "" };
  } catch (error) {
    throw failureOf(server, error as SmtpError, signal.aborted);
  } finally {
    transport.close();
  }
}

/** Returns the part after the @ of an address, with or without a name. */
function domainOf(from: string): string {
  return from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
}

/** The fields of nodemailer's errors. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
}

/** Returns the code and the text of a reply, with its lines joined. */
function replyOf(server: SmtpServer, response: string | undefined): MailTaken | null {
  const [, code, text = ""] = /^([2-5][0-9]{2})[ -]?([\s\S]*)$/.exec(response ?? "") ?? [];
  return code === undefined ? null : { code: Number(code), text: shown(server, text) };
}

/** Returns a server's reply on one line, without the password if it repeats that. */
function shown({ user, password }: SmtpServer, text: string): string {
  const secrets = password === null ? [] : [base64(`\0${user}\0${password}`), base64(password), password];
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), line).slice(0, REPLY_CHARS_MAX);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function failureOf(server: SmtpServer, error: SmtpError, isLate: boolean): MailFailure {
  const reply = replyOf(server, error.response);
  const isRecipient = error.code === "EENVELOPE" && error.command === "RCPT TO";
  const said = reply === null ? "" : `: ${reply.code} ${reply.text}`;
  return new MailFailure(`${reasonOf(server, error, isLate)}${said}`, { reply, isRecipient });
}

function reasonOf(server: SmtpServer, error: SmtpError, isLate: boolean): string {
  const place = `${server.host} port ${server.port}`;
  const why = shown(server, error.message);
  if (isLate || error.code === "ETIMEDOUT") return `${place} did not answer in time`;
  if (error.code === "EDNS") return `there is no mail server of the name ${server.host}`;
  if (error.code === "ETLS") return `${place} does not offer the required TLS (${why})`;
  if (error.code === "EAUTH" || error.code === "ENOAUTH") return `${place} refused the user and password`;
  if (error.code === "EENVELOPE")
    return error.command === "RCPT TO" ? `${place} refused the recipient` : `${place} refused the sender`;
  if (error.code === "EMESSAGE") return `${place} refused the message`;
  if (error.code === "ESOCKET" || error.code === "ECONNECTION") return `no connection to ${place} (${why})`;
  return `${place} did not answer in valid SMTP (${why})`;
}
