import Type from "typebox";
import { Id, closed, nullable } from "../organization/shapes.ts";
import { DisplayName, Timestamp } from "../shared.ts";
import { WEBHOOK_SENDERS, type WebhookSender } from "./senders/index.ts";

/** Schemes without a sender. The settings of the webhook have their details. */
export const GENERIC_SCHEMES = ["none", "hmac", "basic", "header"] as const;
export const WEBHOOK_SCHEMES: readonly WebhookScheme[] = [
  ...GENERIC_SCHEMES,
  ...(Object.keys(WEBHOOK_SENDERS) as WebhookSender[]),
];
export type WebhookScheme = (typeof GENERIC_SCHEMES)[number] | WebhookSender;
export const WEBHOOK_HANDSHAKES = ["slack", "meta", "microsoft_graph", "cloudevents"] as const;

/** RFC 9110 section 5.6.2. */
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}";
const FieldName = Type.String({ pattern: `^${TOKEN}$` });

/** A condition on a header field of an event. */
export const HeaderCondition = Type.String({
  pattern: `^${TOKEN}(:.*)?$`,
  maxLength: 1000,
  description: "Name, or Name:value",
});

/** A condition on the verification of an event. */
export const VerifiedCondition = Type.Enum(["yes", "no", ...WEBHOOK_SCHEMES.filter((scheme) => scheme !== "none")], {
  description: "yes: by any scheme; no: not verified; or the scheme",
});

const Verification = Type.Object(
  {
    scheme: Type.Enum([...WEBHOOK_SCHEMES], {
      description: "a sender (docs/reference/webhook-senders.md), or none, hmac, basic or header",
    }),
    header: Type.Optional(
      Type.String({ ...FieldName, description: "for hmac and header: the header field with the signature or key" }),
    ),
    algorithm: Type.Optional(Type.Enum(["sha1", "sha256", "sha512"], { description: "for hmac; sha256" })),
    encoding: Type.Optional(Type.Enum(["hex", "base64"], { description: "for hmac; hex" })),
    prefix: Type.Optional(Type.String({ maxLength: 50, description: "the text before the signature or key" })),
    tolerance_s: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description:
          "maximum seconds between the signed time and now, for senders that sign it; by default as the sender recommends",
      }),
    ),
    audience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description:
          "the audience of the token, for google_pubsub and azure_event_grid_entra; for google_pubsub the address by default",
      }),
    ),
  },
  closed,
);

const Deduplication = Type.Object(
  {
    by: Type.Enum(["auto", "header", "pointer", "none"], {
      description: "auto: by the scheme, or by the fields of a known sender",
    }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "the name of the header field, or a JSON pointer" }),
    ),
    window_s: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 604_800,
        description: "seconds in which repetitions are recognized, by default 86400",
      }),
    ),
  },
  closed,
);

const StaticResponse = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 299 }),
    content_type: Type.String({ pattern: "^[ -~]{3,200}$" }),
    body: Type.String({ maxLength: 4096 }),
  },
  closed,
);

export const settings = {
  verification: Verification,
  allowed_ips: Type.Array(Type.String({ maxLength: 50 }), {
    maxItems: 100,
    description: "addresses or CIDR blocks that may send; empty: any",
  }),
  handshakes: Type.Array(Type.Enum([...WEBHOOK_HANDSHAKES]), {
    uniqueItems: true,
    maxItems: WEBHOOK_HANDSHAKES.length,
  }),
  deduplication: Deduplication,
  response: nullable(StaticResponse),
};

const Days = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: "how long its events are kept; null: as other webhooks of the project",
  }),
);

const WebhookUrl = Type.Object({
  hint: Type.String({ description: "its last four characters" }),
  created_at: Timestamp,
  expires_at: nullable(Type.String({ format: "date-time", description: "null: in force" })),
  hits: Type.Integer({ description: "number of requests; for an old address, since it was replaced" }),
  last_hit_at: nullable(Timestamp),
});

export const Webhook = Type.Object({
  id: Id,
  project_id: Id,
  name: DisplayName,
  enabled: Type.Boolean({ description: "false: requests get a 503, and no event is kept" }),
  ...settings,
  has_secret: Type.Boolean(),
  retention_days: Days,
  urls: Type.Array(WebhookUrl, { description: "the current address and the last old ones, newest first" }),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** The settings of a webhook, to create or change it. */
export const optional = {
  enabled: Type.Optional(Type.Boolean()),
  verification: Type.Optional(settings.verification),
  secret: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 500,
      pattern: "^[^\\u0000-\\u001f\\u007f]*$",
      description:
        "the secret that verifies; for basic: user:password. If it is absent for standard_webhooks, the server creates one",
    }),
  ),
  verify_token: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200, description: "for meta" }))),
  allowed_ips: Type.Optional(settings.allowed_ips),
  handshakes: Type.Optional(settings.handshakes),
  deduplication: Type.Optional(settings.deduplication),
  response: Type.Optional(settings.response),
  retention_days: Type.Optional(Days),
};

export const Headers = Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), {
  description: "[name, value] in the received order; a value that looks like a secret is `redacted:` and a keyed hash",
});

export const WebhookEvent = Type.Object({
  id: Id,
  webhook_id: Id,
  received_at: Timestamp,
  type: nullable(Type.String({ description: "the type of the event, as the sender named it" })),
  method: Type.String(),
  query: Type.String({ description: "the received query; secrets as in headers" }),
  headers: Headers,
  content_type: nullable(Type.String()),
  size_bytes: Type.Integer(),
  ip: Type.String(),
  verified: Type.Enum([...WEBHOOK_SCHEMES], { description: "the scheme that verified it" }),
  duplicates: Type.Integer({ description: "how often the sender repeated the event" }),
  cursor: Type.String({ description: "continues after this event" }),
  body_format: nullable(
    Type.Enum(["json", "deep_json", "text", "binary"], {
      description: "deep_json: nested deeper than 100 levels; null in a list if the body is longer than 64 KiB",
    }),
  ),
  body: nullable(
    Type.String({
      description: "the received body; null if it is not UTF-8, or in a list if it is longer than 64 KiB",
    }),
  ),
  body_base64: nullable(Type.String({ description: "instead of body, if it is not UTF-8" })),
  json: Type.Unknown({
    description: "the body's text, as a value of this object; null if body_format is not json",
  }),
});

export const Rejection = Type.Object({
  id: Id,
  at: Timestamp,
  reason: Type.String(),
  method: Type.String(),
  query: Type.String(),
  headers: Headers,
  size_bytes: Type.Integer(),
  body: Type.String({ description: "the first 16 KiB" }),
  ip: Type.String(),
});
