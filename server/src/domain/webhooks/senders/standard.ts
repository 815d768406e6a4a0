import { BODY, header, json, TIME } from "../verification/places.ts";
import type { Check, PublicKey, SecretForm } from "../verification/recipe.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

const SPECIFICATION = "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md";

/** Standard Webhooks: the signature covers `id.timestamp.body`. Svix uses other names for the fields. */
function standard(family: "webhook" | "svix", key: SecretForm = "whsec"): readonly Check[] {
  const parts = [header(`${family}-id`), ".", TIME, ".", BODY];
  const time = { at: header(`${family}-timestamp`), unit: "s", toleranceS: 300 } as const;
  return hmacOfBody(`${family}-signature`, { key, prefix: "v1,", separator: " ", encoding: "base64", parts, time });
}

/** The asymmetric signature of the same text. The webhook's secret is the public key. */
const ASYMMETRIC: PublicKey = {
  kind: "ed25519",
  key: "whpk",
  signature: { field: header("webhook-signature"), prefix: "v1a,", separator: " ", encoding: "base64" },
  parts: [header("webhook-id"), ".", TIME, ".", BODY],
  time: { at: header("webhook-timestamp"), unit: "s", toleranceS: 300 },
};

const SECRET = {
  form: /^(?:v1,)?(?:whsec_)?[A-Za-z0-9+/]{32,86}={0,2}$/,
  detail: "must be whsec_ and 24 to 64 bytes in base64",
} as const;
const BY_SVIX = { verify: standard("svix"), id: [[header("svix-id")]], secret: SECRET };
const BY_STANDARD = { verify: standard("webhook"), id: [[header("webhook-id")]], secret: SECRET };

/** Standard Webhooks, and senders that sign with it. */
export const STANDARD = {
  standard_webhooks: {
    verify: [...standard("webhook"), ASYMMETRIC, ...standard("svix")],
    id: [[header("webhook-id")], [header("svix-id")]],
    type: [json("/type")],
    secret: {
      form: /^(?:v1,)?(?:whsec_)?[A-Za-z0-9+/]{32,86}={0,2}$|^whpk_[A-Za-z0-9+/]{43}=$/,
      detail: "must be whsec_ and 24 to 64 bytes in base64, or whpk_ and a public key",
    },
    source: SPECIFICATION,
    sdk: "standardwebhooks: Webhook.sign",
  },
  svix: {
    ...BY_SVIX,
    type: [json("/type")],
    source: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
    sdk: "svix: Webhook.sign",
  },
  clerk: {
    ...BY_SVIX,
    type: [json("/type")],
    source: "https://clerk.com/docs/guides/development/webhooks/syncing",
    sdk: "svix: Webhook.sign",
  },
  resend: {
    ...BY_SVIX,
    type: [json("/type")],
    source: "https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests",
    sdk: "svix: Webhook.sign",
  },
  openai: {
    ...BY_STANDARD,
    type: [json("/type")],
    source: "https://platform.openai.com/docs/guides/webhooks",
    sdk: "openai: webhooks.verifySignature",
  },
  replicate: {
    ...BY_STANDARD,
    type: [json("/status")],
    source: "https://replicate.com/docs/topics/webhooks/verify-webhook",
    sdk: "replicate: validateWebhook",
  },
  polar: {
    verify: standard("webhook", "text"),
    id: [[header("webhook-id")]],
    type: [json("/type")],
    source: "https://polar.sh/docs/integrate/webhooks/delivery",
  },
  supabase: {
    ...BY_STANDARD,
    type: [json("/type")],
    source: "https://supabase.com/docs/guides/auth/auth-hooks",
    sdk: "standardwebhooks: Webhook.sign",
  },
} as const satisfies Record<string, Sender>;
