import { decodeBase64, decodePercent, decodeUtf8 } from "#kernel/decoding.ts";
import { OauthError } from "../errors.ts";
import { requireParameter, type Form } from "./form.ts";

/** The most characters of base64 of `client_id:client_secret`; ours have 88. */
const BASIC_CHARS_MAX = 1024;
const NO_TEXT = Buffer.from([0xff]);

/** RFC 7523 section 2.2. */
const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A client that sends another issuer's token instead of a secret (RFC 7521 section 4.2). */
export interface ClientAssertion {
  readonly clientId: string;
  readonly assertion: string;
}

/**
 * Returns the client's id and secret from the `Authorization` field (`client_secret_basic`) or the body
 * (`client_secret_post`), or its assertion. RFC 6749 section 2.3 forbids two of them.
 * @throws OauthError `invalid_client` when there are none, `invalid_request` when there are two
 */
export function clientCredentialsOf(
  authorization: string | undefined,
  form: Form,
): ClientCredentials | ClientAssertion {
  const clientId = form.get("client_id");
  const clientSecret = form.get("client_secret");
  if (form.has("client_assertion") || form.has("client_assertion_type")) {
    if (authorization !== undefined || clientSecret !== undefined) throw twoWays();
    return assertionOf(form);
  }
  if (authorization === undefined) {
    if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
    throw new OauthError(
      "invalid_client",
      "Send client_id and client_secret, in the body or as HTTP Basic authentication.",
    );
  }
  const basic = parseBasic(authorization);
  if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw twoWays();
  }
  return basic;
}

/**
 * The subject of this token is the issuer's name for the client, not ours. So the client must also send `client_id`.
 */
function assertionOf(form: Form): ClientAssertion {
  if (requireParameter(form, "client_assertion_type") !== JWT_BEARER)
    throw new OauthError("invalid_client", `This server takes client assertions of the type ${JWT_BEARER} only.`);
  return { assertion: requireParameter(form, "client_assertion"), clientId: requireParameter(form, "client_id") };
}

function twoWays(): OauthError {
  return new OauthError(
    "invalid_request",
    "Authenticate in one way: in the Authorization field, by a secret in the body, or by an assertion.",
  );
}

/** Decodes both parts: they are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function parseBasic(authorization: string): ClientCredentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  if (encoded === undefined || encoded.length > BASIC_CHARS_MAX) throw malformed();
  const text = decodeUtf8(decodeBase64(encoded) ?? NO_TEXT);
  if (text === undefined) throw new OauthError("invalid_request", "The Authorization field is not UTF-8 in base64.");
  const colon = text.indexOf(":");
  if (colon < 1) throw malformed();
  return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) };
}

function formDecode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const decoded = decodePercent(text.replaceAll("+", " "));
  if (decoded === undefined) throw malformed();
  return decoded;
}

function malformed(): OauthError {
  return new OauthError(
    "invalid_client",
    "The Authorization field must be Basic, with the client id and the client secret.",
  );
}
