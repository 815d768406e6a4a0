import type { ServiceAddresses } from "~/api/addresses.ts";
import { shellWord } from "../../kit/shell.ts";

export const STEP_IDS = ["log", "file", "webhook", "image"] as const;
export type StepId = (typeof STEP_IDS)[number];

export interface CommandFacts {
  readonly addresses: Pick<
    ServiceAddresses,
    "identity_url" | "ingest_url" | "storage_url" | "registry_domain" | "webhooks_url"
  >;
  /** The client id of the chosen credential, or null. */
  readonly clientId: string | null;
  /** Name in the registry, `orgs/acme/shop`. Null: there is no app yet. */
  readonly repository: string | null;
  /** Address of a webhook. Null: not shown yet, because it is a secret. */
  readonly webhookUrl: string | null;
  /** The project of the file, if the credential is not limited to it. */
  readonly project: string | null;
}

export const SECRET_PLACEHOLDER = "CLIENT_SECRET";

/** Returns the command of a step. The secret is a placeholder, because it was shown only at its creation. */
export function commandOf(step: StepId, facts: CommandFacts): string {
  switch (step) {
    case "log":
      return [...tokenLines(facts), ...logLines(facts)].join("\n");
    case "file":
      return [...tokenLines(facts), ...fileLines(facts)].join("\n");
    case "webhook":
      return webhookLine(facts);
    case "image":
      return imageLines(facts).join("\n");
  }
}

function tokenLines({ addresses, clientId }: CommandFacts): readonly string[] {
  const user = `${clientId ?? "CLIENT_ID"}:${SECRET_PLACEHOLDER}`;
  return [
    `TOKEN=$(curl -sS ${shellWord(`${addresses.identity_url}/oauth/token`)} -u ${shellWord(user)} \\`,
    String.raw`  -d grant_type=client_credentials | sed 's/.*"access_token": *"\([^"]*\)".*/\1/')`,
  ];
}

function logLines({ addresses }: CommandFacts): readonly string[] {
  return [
    `curl -sS ${shellWord(`${addresses.ingest_url}/v1/ingest/logs`)} -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '{"entries": [{"timestamp": "'$(date -u +%FT%TZ)'",`,
    `  "level": "info", "message": "hello from '$(hostname)'", "service": "first-try"}]}'`,
  ];
}

function fileLines({ addresses, project }: CommandFacts): readonly string[] {
  const body = {
    filename: "hello.txt",
    content_type: "text/plain",
    ...(project === null ? {} : { project }),
  };
  return [
    `URL=$(curl -sS ${shellWord(`${addresses.storage_url}/v1/upload`)} -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d ${shellWord(JSON.stringify(body))} \\`,
    String.raw`  | sed 's/.*"upload_url": *"\([^"]*\)".*/\1/')`,
    `echo hello | curl -sS -T - "$URL" -H 'Content-Type: text/plain'`,
  ];
}

function webhookLine({ addresses, webhookUrl }: CommandFacts): string {
  const url = webhookUrl ?? `${addresses.webhooks_url}/hooks/WEBHOOK_TOKEN`;
  return `curl -sS ${shellWord(url)} -H 'Content-Type: application/json' -d '{"type": "hello", "from": "me"}'`;
}

function imageLines({ addresses, clientId, repository }: CommandFacts): readonly string[] {
  const name = `${addresses.registry_domain}/${repository ?? "orgs/ORGANIZATION/APP"}:1`;
  return [
    `docker login ${addresses.registry_domain} -u ${clientId ?? "CLIENT_ID"}`,
    "docker pull hello-world",
    `docker tag hello-world ${name}`,
    `docker push ${name}`,
  ];
}
