/** A request of the command line for a login, from the page's address (RFC 6749 section 4.1.1, RFC 7636). */
export interface LoginRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  /** The machine, as the command named it. */
  readonly name: string;
  /** The organization that the command asked for; null: the person chooses. */
  readonly organization: string | null;
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[0-9]{1,5}\/[a-z]{0,20}$/;
const NAME_CHARS_MAX = 100;

/** Returns the request. A text: why it is refused. Nothing is sent to an address that is not this machine. */
export function loginRequestOf(search: string): LoginRequest | string {
  const query = new URLSearchParams(search);
  const text = (name: string): string => query.get(name)?.replace(/^"(.*)"$/, "$1") ?? "";
  if (text("client_id") !== "mooring-cli") return "Only the command line of Mooring may ask for a login.";
  if (text("response_type") !== "code") return "The response_type must be code.";
  if (text("code_challenge_method") !== "S256") return "The code_challenge_method must be S256.";
  if (!LOOPBACK.test(text("redirect_uri"))) return "The redirect_uri must be a loopback address of this machine.";
  if (!/^[A-Za-z0-9_-]{43}$/.test(text("code_challenge"))) return "The code_challenge is not valid.";
  if (text("state") === "") return "The state is missing.";
  const name = text("name")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, NAME_CHARS_MAX);
  return {
    redirectUri: text("redirect_uri"),
    state: text("state"),
    challenge: text("code_challenge"),
    name: name.trim() === "" ? "unnamed" : name,
    organization: text("organization") === "" ? null : text("organization"),
  };
}

/** Returns the address that tells the command that the person denied the login (RFC 6749 section 4.1.2.1). */
export function deniedAddress({ redirectUri, state }: LoginRequest): string {
  return `${redirectUri}?${new URLSearchParams({ error: "access_denied", state }).toString()}`;
}
