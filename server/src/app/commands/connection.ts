import { readFileSync, statSync } from "node:fs";
import {
  clientCredentials,
  createClient,
  discover,
  type Addresses,
  type Client,
  type ClientCredential,
  type Tokens,
} from "@mooring/client";
import type { Clock } from "#kernel/time.ts";
import { processEnvironment } from "../config.ts";
import { chosenLogin, readLogins, type StoredLogin } from "./login/store.ts";
import { storedTokens } from "./login/tokens.ts";
import { CommandError, ExitCode, textOption, UsageError, type Option, type Parsed } from "./command.ts";

/**
 * Options of every command that calls a server. Secrets are not options, because other users of the machine can see a
 * command line.
 */
export const CONNECTION_OPTIONS: readonly Option[] = [
  { name: "url", value: "URL", description: "address of the server (MOORING_URL)" },
  {
    name: "credentials",
    value: "FILE",
    description:
      "output of bootstrap --json (MOORING_CREDENTIALS; or MOORING_CLIENT_ID and MOORING_CLIENT_SECRET). Without it: a personal access token (MOORING_TOKEN), or mooring login",
  },
  {
    name: "org",
    value: "ORG",
    description: "organization of your login (slug; MOORING_ORG); default: the newest login",
  },
];

export const DEFAULT_URL = "http://127.0.0.1:8080";

interface Identification {
  /** Undefined: a login of the person. */
  readonly tokens: ((addresses: Addresses) => Tokens) | undefined;
  readonly addresses?: Addresses | undefined;
}

/**
 * Connects to the server: with the credential from the options or the environment, with a personal access token, or as
 * the person who signed in. Options win, then the environment.
 * @throws UsageError, CommandError
 */
export async function connect(parsed: Parsed, clock: Clock): Promise<Client> {
  const environment = processEnvironment();
  const given = textOption(parsed, "url") ?? environment["MOORING_URL"];
  const url = given === undefined ? undefined : checkedUrl(given);
  const found = identify(parsed, environment, clock);
  if (found.tokens === undefined) {
    const login = loginFor({
      url,
      organization: textOption(parsed, "org") ?? (environment["MOORING_ORG"] || undefined),
    });
    return createClient({ addresses: login.addresses, tokens: storedTokens(login, clock) });
  }
  const addresses =
    url === undefined && found.addresses !== undefined ? found.addresses : await discover(url ?? DEFAULT_URL);
  return createClient({ addresses, tokens: found.tokens(addresses) });
}

function identify(
  parsed: Parsed,
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Identification {
  const file = textOption(parsed, "credentials");
  const { MOORING_CLIENT_ID: clientId, MOORING_CLIENT_SECRET: clientSecret, MOORING_TOKEN: token } = environment;
  if (file !== undefined) return fromFile(file, clock);
  if (textOption(parsed, "org") !== undefined) return { tokens: undefined }; // only logins have an organization
  if (clientId && clientSecret) return { tokens: byCredential({ clientId, clientSecret }, clock) };
  if (clientId || clientSecret)
    throw new UsageError("MOORING_CLIENT_ID and MOORING_CLIENT_SECRET must be set together");
  const named = environment["MOORING_CREDENTIALS"];
  if (named) return fromFile(named, clock);
  return { tokens: token ? () => ({ get: async () => token }) : undefined };
}

function byCredential(credential: ClientCredential, clock: Clock): (addresses: Addresses) => Tokens {
  return (addresses) => clientCredentials(addresses, credential, () => clock.nowMs());
}

/** Returns the login to use. @throws UsageError if there is none */
function loginFor(asked: { readonly url: string | undefined; readonly organization: string | undefined }): StoredLogin {
  const login = chosenLogin(readLogins(), asked);
  if (login !== undefined) return login;
  const { url = "URL", organization } = asked;
  throw new UsageError(
    `no credential: run mooring login ${url}${organization === undefined ? "" : ` --org ${organization}`}, pass --credentials FILE with the output of mooring bootstrap --json, or set MOORING_CLIENT_ID and MOORING_CLIENT_SECRET`,
  );
}

function fromFile(file: string, clock: Clock): Identification {
  const content = parsedFile(file);
  const credential = objectAt(content, "credential") ?? content;
  const { client_id: clientId, client_secret: clientSecret } = credential;
  if (typeof clientId !== "string" || typeof clientSecret !== "string") {
    throw new CommandError(
      `cannot use ${file}: it has no client_id and client_secret; create one with mooring bootstrap --json > ${file}`,
      ExitCode.usage,
    );
  }
  if ((statSync(file).mode & 0o077) !== 0)
    process.stderr.write(`mooring: other users can read ${file}, which contains a secret; run chmod 600 on it\n`);
  const addresses = objectAt(content, "addresses") as Addresses | undefined;
  return { tokens: byCredential({ clientId, clientSecret }, clock), addresses };
}

function parsedFile(file: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof content === "object" && content !== null) return content as Record<string, unknown>;
  } catch (error) {
    // A parser's message could contain the secret.
    const cause = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new CommandError(`cannot read the credentials: ${file}: ${cause}`, ExitCode.usage);
  }
  throw new CommandError(`cannot read the credentials: ${file}: it is not a JSON object`, ExitCode.usage);
}

function objectAt(content: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const value = content[name];
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Returns the URL without a slash at its end. @throws UsageError */
export function checkedUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`the URL must begin with http:// or https://, not ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw new UsageError("the URL must not contain a user and password");
  return text.replace(/\/+$/, "");
}
