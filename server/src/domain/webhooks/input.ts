import { parseAddressRange } from "@mooring/contract";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { handshakesOf } from "./handshakes.ts";
import { senderOf } from "./senders/index.ts";
import type {
  Deduplication,
  Handshake,
  Scheme,
  StaticResponse,
  Verification,
  WebhookSecrets,
  WebhookSettings,
} from "./types.ts";

/** The settings of a new webhook. */
export interface WebhookInput {
  readonly name: string;
  readonly enabled?: boolean;
  readonly verification?: Verification;
  /** The secret of the verification. When it is absent, one is created for Standard Webhooks. */
  readonly secret?: string;
  readonly verify_token?: string | null;
  readonly allowed_ips?: readonly string[];
  readonly handshakes?: readonly Handshake[];
  readonly deduplication?: Deduplication;
  readonly response?: StaticResponse | null;
  /** Null: the project's retention. */
  readonly retention_days?: number | null;
}

/**  @throws Problem `invalid_body` for settings that can't work together */
export function checkSettings(settings: WebhookSettings, secrets: WebhookSecrets): void {
  const errors = [...verificationFaults(settings.verification, secrets), ...otherFaults(settings, secrets)];
  if (errors.length > 0)
    throw new Problem("invalid_body", "These settings of the webhook can't work together.", { errors });
}

function verificationFaults({ scheme, header, audience }: Verification, { secret }: WebhookSecrets): ProblemPlace[] {
  const errors: ProblemPlace[] = [];
  const sender = senderOf(scheme);
  if (!needsSecret(scheme)) return errors;
  if (secret === null) errors.push({ pointer: "/secret", detail: `is needed to verify by ${scheme}` });
  else if (scheme === "basic" && !secret.includes(":"))
    errors.push({ pointer: "/secret", detail: "must be the user name, a colon and the password" });
  else if (sender?.secret?.form.test(secret) === false)
    errors.push({ pointer: "/secret", detail: sender.secret.detail });
  if (sender?.needsAudience === true && audience === undefined)
    errors.push({ pointer: "/verification/audience", detail: `is needed to verify by ${scheme}` });
  if ((scheme === "hmac" || scheme === "header") && header === undefined)
    errors.push({ pointer: "/verification/header", detail: `is needed to verify by ${scheme}` });
  return errors;
}

/** Whether the scheme verifies with a secret. Some senders prove nothing. */
export function needsSecret(scheme: Scheme): boolean {
  return scheme !== "none" && senderOf(scheme)?.verify.length !== 0;
}

function otherFaults(settings: WebhookSettings, secrets: WebhookSecrets): ProblemPlace[] {
  const errors: ProblemPlace[] = [];
  settings.allowed_ips.forEach((block, i) => {
    if (parseAddressRange(block) === undefined)
      errors.push({
        pointer: `/allowed_ips/${i}`,
        detail: "must be an IP address or a CIDR block, for example 192.0.2.0/24",
      });
  });
  if (handshakesOf(settings).includes("meta") && secrets.verify_token === null)
    errors.push({ pointer: "/verify_token", detail: "is needed for the handshake of Meta" });
  const { by, name } = settings.deduplication;
  if (by === "header" && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name ?? ""))
    errors.push({ pointer: "/deduplication/name", detail: "must name the header field, for example X-Event-Id" });
  if (by === "pointer" && !/^(\/[^/]*)+$/.test(name ?? ""))
    errors.push({ pointer: "/deduplication/name", detail: "must be a JSON pointer, for example /event/id" });
  return errors;
}
