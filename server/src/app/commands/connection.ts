import { readFileSync, statSync } from "node:fs";
import {
  clientCredentials,
  createClient,
  discover,
  type Addresses,
  type Client,
  type ClientCredential,
} from "@mooring/client";
import type { Clock } from "#kernel/time.ts";
import { processEnvironment } from "../config.ts";
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
    description: "output of bootstrap --json (MOORING_CREDENTIALS; or MOORING_CLIENT_ID and MOORING_CLIENT_SECRET)",
  },
];

const DEFAULT_URL = "http://127.0.0.1:8080";

interface Identification {
  readonly credential: ClientCredential;
  readonly addresses?: Addresses | undefined;
}

/**
 * Connects to the server with the credential from the options or the environment; options win.
 * @throws UsageError, CommandError
 */
export async function connect(parsed: Parsed, clock: Clock): Promise<Client> {
  const environment = processEnvironment();
  const url = textOption(parsed, "url") ?? environment["MOORING_URL"];
  const identification = identify(textOption(parsed, "credentials"), environment);
  const addresses =
    url === undefined && identification.addresses !== undefined
      ? identification.addresses
      : await discover(checkedUrl(url ?? DEFAULT_URL));
  const tokens = clientCredentials(addresses, identification.credential, () => clock.nowMs());
  return createClient({ addresses, tokens });
}

function identify(file: string | undefined, environment: Readonly<Record<string, string | undefined>>): Identification {
  const clientId = environment["MOORING_CLIENT_ID"];
  const clientSecret = environment["MOORING_CLIENT_SECRET"];
  if (file !== undefined) return fromFile(file);
  if (clientId && clientSecret) return { credential: { clientId, clientSecret } };
  if (clientId || clientSecret)
    throw new UsageError("MOORING_CLIENT_ID and MOORING_CLIENT_SECRET must be set together");
  const named = environment["MOORING_CREDENTIALS"];
  if (named) return fromFile(named);
  throw new UsageError(
    "no credential: pass --credentials FILE with the output of mooring bootstrap --json, or set MOORING_CLIENT_ID and MOORING_CLIENT_SECRET",
  );
}

function fromFile(file: string): Identification {
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
  return { credential: { clientId, clientSecret }, addresses: objectAt(content, "addresses") as Addresses | undefined };
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

function checkedUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`--url must begin with http:// or https://, not ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw new UsageError("--url must not contain a user and password");
  return text.replace(/\/+$/, "");
}
