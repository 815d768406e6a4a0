import {
  API_FUNCTION,
  accessKeyEnvironment,
  credentialEnvironment,
  tokenCommand,
  type Snippet,
  type SnippetInput,
} from "./shared.ts";

const JSON_TYPE = "-H 'Content-Type: application/json'";

/** Snippets for curl, from a client id and secret to a first answer. */
export function curlSnippets(input: SnippetInput): readonly Snippet[] {
  if (input.topic === "s3") return [accessKeyEnvironment(input), s3(input)];
  return [
    credentialEnvironment(input),
    {
      title: "A token",
      about: "Valid for 15 minutes, unless the organization has another setting. Use one token for many requests.",
      text: `${tokenCommand(input.addresses)}\n${API_FUNCTION}`,
    },
    ...calls(input),
  ];
}

function calls(input: SnippetInput): readonly Snippet[] {
  const { addresses } = input;
  switch (input.topic) {
    case "telemetry":
      return [sendLog(input), readBack(input)];
    case "query":
      return [readBack(input)];
    case "files":
      return [upload(input), download(input)];
    case "registry":
      return [tags(input)];
    case "webhooks":
      return webhooks(input);
    case "token":
    case "s3":
      return [{ title: "The identity of the token", text: `api ${addresses.portal_url}/v1/me` }];
  }
}

function sendLog({ addresses, app }: SnippetInput): Snippet {
  return {
    title: "Send a log entry",
    about: "202 means that it is on disk. The same for /metrics and /traces.",
    text: [
      `api ${addresses.ingest_url}/v1/ingest/logs ${JSON_TYPE} -d '{"entries": [`,
      `  {"timestamp": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'", "level": "info", "message": "hello", "service": "${app}"}`,
      `]}'`,
    ].join("\n"),
  };
}

function readBack({ addresses }: SnippetInput): Snippet {
  return {
    title: "Query with SQL",
    about: "Needs telemetry:read. Accept chooses JSON, NDJSON, CSV, Arrow or Parquet.",
    text: [
      `api ${addresses.query_url}/v1/query ${JSON_TYPE} -H 'Accept: text/csv' \\`,
      `  -d '{"sql": "SELECT timestamp, level, message, service FROM logs ORDER BY timestamp DESC LIMIT 10"}'`,
    ].join("\n"),
  };
}

function upload({ addresses, project }: SnippetInput): Snippet {
  const where = project === null ? "" : `, "project": "${project}"`;
  return {
    title: "Upload a file",
    about: "First get a grant. Then send the content to its address, which needs no token.",
    text: [
      `printf 'name,amount\\nrent,700\\n' > costs.csv`,
      `api ${addresses.storage_url}/v1/upload ${JSON_TYPE} \\`,
      `  -d '{"filename": "costs.csv", "content_type": "text/csv"${where}}' > grant.json`,
      `curl -sS --fail-with-body -T costs.csv -H 'Content-Type: text/csv' \\`,
      `  "$(sed 's/.*"upload_url":"\\([^"]*\\)".*/\\1/' grant.json)"`,
    ].join("\n"),
  };
}

function download({ addresses }: SnippetInput): Snippet {
  return {
    title: "List, and download",
    text: [
      `api '${addresses.storage_url}/v1/files?limit=10'`,
      `FILE_ID=$(sed 's/.*"file_id":"\\([^"]*\\)".*/\\1/' grant.json)`,
      `api ${addresses.storage_url}/v1/files/$FILE_ID/download > download.json`,
      `curl -sS --fail-with-body "$(sed 's/.*"download_url":"\\([^"]*\\)".*/\\1/' download.json)"`,
    ].join("\n"),
  };
}

function tags({ addresses, app }: SnippetInput): Snippet {
  return {
    title: "Repositories and tags",
    about: "Use docker or another client to push and pull.",
    text: [
      `api ${addresses.portal_url}/v1/registry/repositories`,
      `api ${addresses.portal_url}/v1/registry/repositories/${app}/tags`,
    ].join("\n"),
  };
}

function webhooks({ addresses, project }: SnippetInput): readonly Snippet[] {
  return [
    {
      title: "Create a webhook, and send to its address",
      about: "The address is a secret: everybody who has it can send. Keep webhook.json private.",
      text: [
        "umask 077",
        `api ${addresses.portal_url}/v1/webhooks ${JSON_TYPE} \\`,
        `  -d '{"name": "orders", "project": "${project ?? "PROJECT"}"}' > webhook.json`,
        `curl -sS --fail-with-body "$(sed 's/.*"webhook_url":"\\([^"]*\\)".*/\\1/' webhook.json)" \\`,
        `  ${JSON_TYPE} -d '{"type": "order.paid", "order": {"id": 17}}'`,
      ].join("\n"),
    },
    {
      title: "Read the events",
      about: "Or follow it live: …/stream has the same as server-sent events.",
      text: [
        `WEBHOOK=$(sed 's/.*"id":"\\(hook_[^"]*\\)".*/\\1/' webhook.json)`,
        `api ${addresses.portal_url}/v1/webhooks/$WEBHOOK/events`,
      ].join("\n"),
    },
  ];
}

function s3({ addresses, app }: SnippetInput): Snippet {
  const url = `${addresses.s3_endpoint}/${app}`;
  return {
    title: "Put, get and list",
    about: "Needs curl 7.75 or later. The key is not in any process's arguments.",
    text: [
      `s3() { printf 'user = "%s:%s"\\n' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" |`,
      `  curl -sS --fail-with-body --config - --aws-sigv4 aws:amz:us-east-1:s3 -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "$@"; }`,
      `printf 'rent,700\\n' > costs.csv`,
      `s3 -T costs.csv ${url}/2026/costs.csv`,
      `s3 ${url}/2026/costs.csv`,
      `s3 '${url}?list-type=2&prefix=2026'`,
    ].join("\n"),
  };
}
