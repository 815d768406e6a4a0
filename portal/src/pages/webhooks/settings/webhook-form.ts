import type { BodyOf, ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import type { Deduplication, Handshake, Verification } from "../setup/presets.ts";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
type Change = BodyOf<typeof WEBHOOK_ROUTES.updateWebhook>;

/** The texts and choices in the form. */
export interface Draft {
  readonly name: string;
  readonly verification: Verification;
  readonly secret: string;
  readonly verifyToken: string;
  readonly handshakes: readonly Handshake[];
  readonly deduplication: Deduplication;
  /** One per line. */
  readonly allowedIps: string;
  /** Empty: the project's setting. */
  readonly retentionDays: string;
  /** Null: the event's id. */
  readonly response: Webhook["response"];
}

export function draftOf(webhook: Webhook): Draft {
  return {
    name: webhook.name,
    verification: webhook.verification,
    secret: "",
    verifyToken: "",
    handshakes: webhook.handshakes,
    deduplication: webhook.deduplication,
    allowedIps: webhook.allowed_ips.join("\n"),
    retentionDays: webhook.retention_days === null ? "" : String(webhook.retention_days),
    response: webhook.response,
  };
}

/** Returns the changed settings, or null if there are none. */
export function changeOf(webhook: Webhook, draft: Draft): Change | null {
  const given: Change = {
    name: draft.name.trim(),
    verification: cleared(draft.verification),
    handshakes: [...draft.handshakes],
    deduplication: draft.deduplication,
    allowed_ips: draft.allowedIps.split(/[\s,]+/).filter((block) => block !== ""),
    retention_days: draft.retentionDays === "" ? null : Number(draft.retentionDays),
    response: draft.response,
  };
  const present = webhook as Readonly<Record<string, unknown>>;
  const changed = Object.entries(given).filter(([name, value]) => !isSame(value, present[name]));
  if (draft.secret !== "") changed.push(["secret", draft.secret]);
  if (draft.verifyToken !== "") changed.push(["verify_token", draft.verifyToken]);
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/** Removes empty texts. */
function cleared(verification: Verification): Verification {
  return Object.fromEntries(Object.entries(verification).filter(([, value]) => value !== "")) as Verification;
}

/** Compares, and ignores the order of members. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  const [a, b] = [Object.entries(one), Object.entries(other)];
  const values = new Map<string, unknown>(b);
  return a.length === b.length && a.every(([name, value]) => isSame(value, values.get(name)));
}
