import { createHmac } from "node:crypto";
import type { HookRequest, LazyJson } from "./request.ts";
import { senderOf, type SenderHandshake } from "./senders/index.ts";
import type { WebhookSecrets, WebhookSettings } from "./types.ts";
import { confirmationUrlOf, sameText } from "./verification/index.ts";

/** The answer to a sender that verifies the address. A handshake is not stored as an event. */
export interface HandshakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether an unverified request gets an answer, because its sender does not sign handshakes. */
  readonly unsigned: boolean;
  /** An address of the sender that must be read before the answer. */
  readonly visit?: string;
}

type Answer = Omit<HandshakeAnswer, "unsigned">;

/**
 * Senders that sign handshakes in the same way as events. The answer of Zoom's is computed with the secret, so an
 * unverified request must not get one.
 */
const SIGNED: ReadonlySet<SenderHandshake> = new Set(["slack", "zoom", "event_grid", "discord", "sns"]);

const NOSNIFF = { "x-content-type-options": "nosniff" };
const TEXT = { "content-type": "text/plain; charset=utf-8", ...NOSNIFF };
const JSON_TYPE = { "content-type": "application/json", ...NOSNIFF };
const CHALLENGE_CHARS_MAX = 4096;

/** Returns the handshakes that the webhook answers: those of its settings, and those of its sender. */
export function handshakesOf(settings: Pick<WebhookSettings, "handshakes" | "verification">): SenderHandshake[] {
  return [...new Set([...settings.handshakes, ...(senderOf(settings.verification.scheme)?.handshakes ?? [])])];
}

/** Returns the answer to an enabled handshake; undefined for any other request. */
export function handshakeOf(
  request: HookRequest,
  json: LazyJson,
  { enabled, secrets }: { readonly enabled: readonly SenderHandshake[]; readonly secrets: WebhookSecrets },
): HandshakeAnswer | undefined {
  for (const name of enabled) {
    const answer = HANDSHAKES[name](request, json, secrets);
    if (answer !== undefined) return { ...answer, unsigned: !SIGNED.has(name) };
  }
  return undefined;
}

type Answerer = (request: HookRequest, json: LazyJson, secrets: WebhookSecrets) => Answer | undefined;

const HANDSHAKES: Readonly<Record<SenderHandshake, Answerer>> = {
  /** https://api.slack.com/events/url_verification */
  slack: ({ method }, json) => {
    if (method !== "POST" || json.member("type") !== "url_verification") return undefined;
    const challenge = json.member("challenge");
    return typeof challenge === "string" ? echoed(challenge) : undefined;
  },
  /**
   * https://developers.facebook.com/docs/graph-api/webhooks/getting-started: the challenge is returned only to a sender
   * that knows the token.
   */
  meta: ({ method, query }, _json, { verify_token: known }) => {
    const asked = new URLSearchParams(query);
    if (method !== "GET" || asked.get("hub.mode") !== "subscribe" || known === null) return undefined;
    if (!sameText(asked.get("hub.verify_token") ?? "", known)) return { status: 403, headers: TEXT, body: "" };
    return echoed(asked.get("hub.challenge") ?? "");
  },
  /**
   * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks: returns the decoded token within ten
   * seconds.
   */
  microsoft_graph: ({ method, query }) => {
    const token = new URLSearchParams(query).get("validationToken");
    return method === "POST" && token !== null ? echoed(token) : undefined;
  },
  /** CloudEvents, HTTP 1.1 Web Hooks 1.0, section 4: the sender asks for permission to send. */
  cloudevents: ({ method, headers }) => {
    const origin = headers["webhook-request-origin"];
    if (method !== "OPTIONS" || typeof origin !== "string") return undefined;
    const rate = headers["webhook-request-rate"];
    const allowed = { "webhook-allowed-origin": origin, "webhook-allowed-rate": typeof rate === "string" ? rate : "*" };
    return { status: 200, headers: { ...allowed, allow: "POST" }, body: "" };
  },
  /** Trello and Intercom ask for the head of the address. */
  head: ({ method }) => (method === "HEAD" ? { status: 200, headers: {}, body: "" } : undefined),
  /**
   * https://developers.zoom.us/docs/api/webhooks/: returns the HMAC of a random text. Only letters and digits are
   * accepted, because the HMAC of any other text could be the signature of an event.
   */
  zoom: ({ method }, json, { secret }) => {
    if (method !== "POST" || json.at("/event") !== "endpoint.url_validation") return undefined;
    const plainToken = json.at("/payload/plainToken");
    if (typeof plainToken !== "string" || !/^[A-Za-z0-9_-]{1,100}$/.test(plainToken)) return undefined;
    const encryptedToken = createHmac("sha256", secret ?? "")
      .update(plainToken)
      .digest("hex");
    return object({ plainToken, encryptedToken });
  },
  /** https://developer.okta.com/docs/concepts/event-hooks/#one-time-verification-request */
  okta: ({ method, headers }) => {
    const challenge = headers["x-okta-verification-challenge"];
    if (method !== "GET" || typeof challenge !== "string") return undefined;
    return object({ verification: challenge.slice(0, CHALLENGE_CHARS_MAX) });
  },
  /** https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema */
  event_grid: ({ method }, json) => {
    if (method !== "POST" || json.at("/0/eventType") !== "Microsoft.EventGrid.SubscriptionValidationEvent")
      return undefined;
    if (json.at("/1") !== undefined) return undefined; // The other events would be lost.
    const code = json.at("/0/data/validationCode");
    return typeof code === "string" ? object({ validationResponse: code.slice(0, CHALLENGE_CHARS_MAX) }) : undefined;
  },
  /** https://www.dropbox.com/developers/reference/webhooks */
  dropbox: ({ method, query }) => {
    const challenge = new URLSearchParams(query).get("challenge");
    return method === "GET" && challenge !== null ? echoed(challenge) : undefined;
  },
  /**
   * https://discord.com/developers/docs/events/webhook-events: a PING has the type 0, and is answered with 204. A PING
   * of interactions has the type 1 and a token, and expects the same type.
   */
  discord: ({ method }, json) => {
    if (method !== "POST") return undefined;
    const type = json.member("type");
    if (type === 0) return { status: 204, headers: {}, body: "" };
    return type === 1 && json.at("/token") !== undefined ? object({ type: 1 }) : undefined;
  },
  /** https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html */
  sns: (request) => {
    const visit = request.method === "POST" ? confirmationUrlOf(request) : undefined;
    return visit === undefined ? undefined : { status: 200, headers: TEXT, body: "", visit };
  },
  /** WooCommerce sends the number of the webhook as a form, without a signature, when it is saved. */
  form_ping: ({ method, body }) =>
    method === "POST" && body.length < 40 && /^webhook_id=\d{1,20}$/.test(body.toString()) ? echoed("") : undefined,
};

function echoed(challenge: string): Answer {
  return { status: 200, headers: TEXT, body: challenge.slice(0, CHALLENGE_CHARS_MAX) };
}

function object(value: object): Answer {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}
