import type { Scope } from "@mooring/contract";
import type { Topic } from "../../topic.ts";

/** Where services are reached, as `GET /.well-known/mooring` says. */
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

/** The values for snippets. A secret is known only right after its creation. */
export interface SnippetInput {
  readonly topic: Topic;
  readonly addresses: SnippetAddresses;
  readonly org: string;
  /** Slug of a project, where one is chosen. */
  readonly project: string | null;
  /** Slug of an app: a repository and a bucket. */
  readonly app: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey?: string | undefined;
}

export interface Snippet {
  /** Says what the text is for; unique among those of a tool. */
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

/** The client's id and secret in the environment. A secret that is not known is asked for without an echo, out of the history. */
export function credentialEnvironment({ clientId, clientSecret }: SnippetInput): Snippet {
  return {
    title: "Once in this terminal",
    about:
      clientSecret === undefined
        ? "Asks for the client secret and does not show it: paste it, then press Enter."
        : "Begins with a space, which keeps it out of the history of most shells.",
    text: [
      `export MOORING_CLIENT_ID=${clientId}`,
      clientSecret === undefined
        ? "read -rs MOORING_CLIENT_SECRET && export MOORING_CLIENT_SECRET"
        : ` export MOORING_CLIENT_SECRET=${clientSecret}`,
    ].join("\n"),
  };
}

/** An access key of the S3 gateway in the environment, under the names that every AWS tool reads. */
export function accessKeyEnvironment({ accessKeyId, secretAccessKey, addresses }: SnippetInput): Snippet {
  return {
    title: "Once in this terminal",
    about:
      secretAccessKey === undefined
        ? "Asks for the secret access key and does not show it: paste it, then press Enter."
        : "Begins with a space, which keeps it out of the history of most shells.",
    text: [
      `export AWS_ACCESS_KEY_ID=${accessKeyId}`,
      `export AWS_ENDPOINT_URL_S3=${addresses.s3_endpoint} AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1`,
      secretAccessKey === undefined
        ? "read -rs AWS_SECRET_ACCESS_KEY && export AWS_SECRET_ACCESS_KEY"
        : ` export AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
    ].join("\n"),
  };
}

/** Takes a token without the secret being an argument of any process. */
export function tokenCommand({ identity_url }: SnippetAddresses): string {
  return [
    `TOKEN=$(printf 'user = "%s:%s"\\n' "$MOORING_CLIENT_ID" "$MOORING_CLIENT_SECRET" |`,
    `  curl -sS --fail-with-body --config - ${identity_url}/oauth/token -d grant_type=client_credentials |`,
    `  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  ].join("\n");
}

/** `api` calls with the token, which is no argument of a process either. */
export const API_FUNCTION =
  `api() { printf 'header = "Authorization: Bearer %s"\\n' "$TOKEN" | ` +
  `curl -sS --fail-with-body -w '\\n' --config - "$@"; }`;
