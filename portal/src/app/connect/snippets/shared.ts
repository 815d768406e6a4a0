import type { Scope } from "@mooring/contract";
import type { Topic } from "../../topic.ts";

/** The addresses of services, from `GET /.well-known/mooring`. */
export interface SnippetAddresses {
  readonly identity_url: string;
  readonly ingest_url: string;
  readonly query_url: string;
  readonly storage_url: string;
  readonly registry_domain: string;
  readonly s3_endpoint: string;
  readonly webhooks_url: string;
  readonly portal_url: string;
}

/** The values in snippets. A secret is known only right after its creation. */
export interface SnippetInput {
  readonly topic: Topic;
  readonly addresses: SnippetAddresses;
  readonly org: string;
  /** Slug of the chosen project. */
  readonly project: string | null;
  /** Slug of an app: a repository and a bucket. */
  readonly app: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey?: string | undefined;
}

export interface Snippet {
  /** The purpose of the snippet; unique within a tool. */
  readonly title: string;
  readonly about?: string;
  readonly text: string;
}

/** The usual scopes of a credential for a topic's snippets. */
export const TOPIC_SCOPES: Readonly<Record<Topic, readonly Scope[]>> = {
  token: [],
  telemetry: ["telemetry:write"],
  query: ["telemetry:read"],
  files: ["files:read", "files:write"],
  s3: [],
  registry: ["registry:pull", "registry:push"],
  webhooks: ["webhooks:read", "webhooks:write"],
};

/** A placeholder for an unknown value. It must not look like a real one. */
export const PLACEHOLDERS = {
  clientId: "CLIENT_ID",
  accessKeyId: "ACCESS_KEY_ID",
  app: "APP",
} as const;

/**
 * Returns commands that set the client id and secret in the environment. If the secret is not known, they ask for it
 * without an echo, so that it is not in the history.
 */
export function credentialEnvironment({ clientId, clientSecret }: SnippetInput): Snippet {
  return {
    title: "Once in this terminal",
    about:
      clientSecret === undefined
        ? "Asks for the client secret and does not show it: paste it, then press Enter."
        : "The line begins with a space: so most shells do not save it in their history.",
    text: [
      `export MOORING_CLIENT_ID=${clientId}`,
      clientSecret === undefined
        ? "read -rs MOORING_CLIENT_SECRET && export MOORING_CLIENT_SECRET"
        : ` export MOORING_CLIENT_SECRET=${clientSecret}`,
    ].join("\n"),
  };
}

/** Returns commands that set an S3 key in the environment, with the names that all AWS tools read. */
export function accessKeyEnvironment({ accessKeyId, secretAccessKey, addresses }: SnippetInput): Snippet {
  return {
    title: "Once in this terminal",
    about:
      secretAccessKey === undefined
        ? "Asks for the secret access key and does not show it: paste it, then press Enter."
        : "The line begins with a space: so most shells do not save it in their history.",
    text: [
      `export AWS_ACCESS_KEY_ID=${accessKeyId}`,
      `export AWS_ENDPOINT_URL_S3=${addresses.s3_endpoint} AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1`,
      secretAccessKey === undefined
        ? "read -rs AWS_SECRET_ACCESS_KEY && export AWS_SECRET_ACCESS_KEY"
        : ` export AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
    ].join("\n"),
  };
}

/** Returns a command that gets a token. The secret is not in the arguments of a process. */
export function tokenCommand({ identity_url }: SnippetAddresses): string {
  return [
    `TOKEN=$(printf 'user = "%s:%s"\\n' "$MOORING_CLIENT_ID" "$MOORING_CLIENT_SECRET" |`,
    `  curl -sS --fail-with-body --config - ${identity_url}/oauth/token -d grant_type=client_credentials |`,
    `  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  ].join("\n");
}

/** Defines `api`, which calls with the token. The token is not in the arguments of a process. */
export const API_FUNCTION =
  `api() { printf 'header = "Authorization: Bearer %s"\\n' "$TOKEN" | ` +
  `curl -sS --fail-with-body -w '\\n' --config - "$@"; }`;
