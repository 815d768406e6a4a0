import type { HookRequest, LazyJson } from "./request.ts";
import type { Handshake, WebhookSecrets } from "./types.ts";
import { sameText } from "./verification/index.ts";

/** The answer to a sender that verifies the address. A handshake is not stored as an event. */
export interface HandshakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether an unverified request gets an answer, because its sender does not sign handshakes. */
  readonly unsigned: boolean;
}

type Answer = Omit<HandshakeAnswer, "unsigned">;

/** Senders that sign handshakes in the same way as events. */
const SIGNED: ReadonlySet<Handshake> = new Set(["slack"]);

const TEXT = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
const CHALLENGE_CHARS_MAX = 4096;

/** Returns the answer to an enabled handshake; undefined for any other request. */
export function handshakeOf(
  request: HookRequest,
  json: LazyJson,
  { enabled, secrets }: { readonly enabled: readonly Handshake[]; readonly secrets: WebhookSecrets },
): HandshakeAnswer | undefined {
  for (const name of enabled) {
    const answer = HANDSHAKES[name](request, json, secrets);
    if (answer !== undefined) return { ...answer, unsigned: !SIGNED.has(name) };
  }
  return undefined;
}

type Answerer = (request: HookRequest, json: LazyJson, secrets: WebhookSecrets) => Answer | undefined;

const HANDSHAKES: Readonly<Record<Handshake, Answerer>> = {
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
};

function echoed(challenge: string): Answer {
  return { status: 200, headers: TEXT, body: challenge.slice(0, CHALLENGE_CHARS_MAX) };
}
