import { decodeForm, decodeUtf8 } from "#kernel/decoding.ts";
import { FORM_FIELDS_MAX, hasMoreFields } from "#kernel/form.ts";
import { OauthError } from "../errors.ts";

/** The parameters of a body, each at most once. */
export type Form = ReadonlyMap<string, string>;

/** A token request has about 300 bytes, or about 5,000 with a long list of scopes or a token. */
export const FORM_BYTES_MAX = 16 * 1024;
/** These parameters may be repeated (RFC 8707 section 2, RFC 8693 section 2.1). */
const REPEATABLE: ReadonlySet<string> = new Set(["resource", "audience"]);

/**
 * Parses `application/x-www-form-urlencoded` parameters. One without a value counts as absent; a repeated one is
 * refused (RFC 6749 section 3.2).
 * @throws OauthError `invalid_request`
 */
export function parseForm(body: Buffer): Form {
  const form = new Map<string, string>();
  const text = decodeUtf8(body);
  if (text !== undefined && hasMoreFields(text))
    throw new OauthError("invalid_request", `There are more than ${FORM_FIELDS_MAX} parameters.`);
  const pairs = text === undefined ? undefined : decodeForm(text);
  if (pairs === undefined)
    throw new OauthError("invalid_request", "The parameters are not valid percent-encoded UTF-8.");
  for (const [name, value] of pairs) {
    if (value === "" || (form.has(name) && REPEATABLE.has(name))) continue;
    if (form.has(name)) throw new OauthError("invalid_request", `The parameter ${shown(name)} must not be sent twice.`);
    form.set(name, value);
  }
  return form;
}

/** @throws OauthError `invalid_request` when it is absent */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OauthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}

/** Cuts a name that the caller chose, since it may have any length and characters. */
function shown(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : "of that name";
}
