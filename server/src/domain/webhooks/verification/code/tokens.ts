import { createHash } from "node:crypto";
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";
import { fieldOf } from "../../request.ts";
import { missing, twice, type CheckOptions, type Outcome } from "../outcome.ts";
import { isRepeated, type Sent } from "../places.ts";
import { isOneOf, sameText } from "../signatures.ts";
import { refusalOf, withKeys } from "./with-keys.ts";

/**
 * JSON Web Tokens (RFC 7519). Each sender's algorithm is fixed here and never read from the token, so a token with
 * `none`, or one that is signed with a public key as a shared secret, is refused (RFC 8725, section 3.1).
 */

const TOKEN_CHARS_MAX = 8192;
const SKEW_S = 60;

/** https://docs.netlify.com/deploy/deploy-notifications/: HS256, with the digest of the body as a claim. */
export function netlify({ request }: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  const name = "X-Webhook-Signature";
  const token = fieldOf(request, name);
  if (token === undefined) return missing(name);
  if (isRepeated(request, name)) return twice(name);
  return withSecrets(options, async (secret) => {
    const settings = { ...settingsOf(options), algorithms: ["HS256"], issuer: "netlify" };
    const { payload } = await jwtVerify(token.slice(0, TOKEN_CHARS_MAX), Buffer.from(secret), settings);
    const digest = createHash("sha256").update(request.body).digest("hex");
    const isSame = typeof payload["sha256"] === "string" && sameText(payload["sha256"], digest);
    return isSame ? null : "the claim sha256 is not the digest of this body";
  });
}

const GOOGLE_KEYS = "https://www.googleapis.com/oauth2/v3/certs";

/**
 * https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions: RS256 of Google for a service account. Its
 * e-mail address is the webhook's secret.
 */
export function google(sent: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  const token = bearerOf(sent);
  if (token.text === undefined) return token.fault;
  const { text } = token;
  return withKeys(options, async (keys) => {
    const audience = options.verification.audience ?? sent.request.url;
    const issuer = ["https://accounts.google.com", "accounts.google.com"];
    const payload = await verified(text, await keys.keySet(GOOGLE_KEYS), options, { issuer, audience });
    const { email, email_verified: isVerified } = payload;
    const isKnown = typeof email === "string" && isOneOf(email, options.secrets);
    return isKnown && isVerified === true ? null : "the token is of another service account";
  });
}

/** The application of Event Grid in every tenant of the public cloud. */
const EVENT_GRID = "4962773b-9cdb-44cf-a8bf-237846a00ab7";

/**
 * https://learn.microsoft.com/azure/event-grid/secure-webhook-delivery: RS256 of Microsoft Entra for the application of
 * Event Grid. The webhook's secret is the tenant.
 */
export function entra(sent: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  const token = bearerOf(sent);
  if (token.text === undefined) return token.fault;
  const { text } = token;
  const audience = options.verification.audience ?? "";
  return withSecrets(options, (tenant) =>
    withKeys(options, async (keys) => {
      const keySet = await keys.keySet(`https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`);
      const issuer = [`https://sts.windows.net/${tenant}/`, `https://login.microsoftonline.com/${tenant}/v2.0`];
      const payload = await verified(text, keySet, options, { issuer, audience });
      const application = payload["appid"] ?? payload["azp"];
      return application === EVENT_GRID ? null : "the token is of another application than Event Grid";
    }),
  );
}

async function verified(
  token: string,
  keys: JWTVerifyGetKey,
  options: CheckOptions,
  expected: Pick<JWTVerifyOptions, "issuer" | "audience">,
): Promise<JWTPayload> {
  const settings = { ...settingsOf(options), ...expected, algorithms: ["RS256"], requiredClaims: ["exp"] };
  const { payload } = await jwtVerify(token, keys, settings);
  return payload;
}

function settingsOf({ nowMs }: CheckOptions): JWTVerifyOptions {
  return { currentDate: new Date(nowMs), clockTolerance: SKEW_S };
}

/** Tries each valid secret. Returns the reason for the first one, if all fail. */
async function withSecrets(options: CheckOptions, check: (secret: string) => Promise<Outcome>): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const secret of options.secrets) {
    const outcome = await refusalOf(() => check(secret));
    if (outcome === null) return null;
    outcomes.push(outcome);
  }
  return outcomes[0] ?? "the webhook has no secret";
}

type Token = { readonly text: string } | { readonly text?: undefined; readonly fault: string };

function bearerOf({ request }: Sent): Token {
  if (isRepeated(request, "authorization")) return { fault: twice("Authorization") };
  const [, text] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(fieldOf(request, "authorization") ?? "") ?? [];
  return text === undefined || text.length > TOKEN_CHARS_MAX ? { fault: missing("Authorization: Bearer") } : { text };
}
