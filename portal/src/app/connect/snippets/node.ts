import { accessKeyEnvironment, credentialEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for Node without packages; for S3 with the AWS SDK. */
export function nodeSnippets(input: SnippetInput): readonly Snippet[] {
  if (input.topic === "s3") return [accessKeyEnvironment(input), s3(input)];
  return [
    credentialEnvironment(input),
    {
      title: "mooring.mjs",
      about:
        "Node 20 or later, no packages: `node mooring.mjs`. It gets a new token shortly before the old one expires.",
      text: `${tokenText(input)}\n${callText(input)}`,
    },
  ];
}

function tokenText({ addresses }: SnippetInput): string {
  return `let token = { value: "", endsMs: 0 };

async function accessToken() {
  if (Date.now() < token.endsMs) return token.value;
  const { MOORING_CLIENT_ID, MOORING_CLIENT_SECRET } = process.env;
  const basic = Buffer.from(\`\${MOORING_CLIENT_ID}:\${MOORING_CLIENT_SECRET}\`).toString("base64");
  const response = await fetch("${addresses.identity_url}/oauth/token", {
    method: "POST",
    headers: { authorization: \`Basic \${basic}\` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  if (!response.ok) throw new Error(\`cannot take a token: \${await response.text()}\`);
  const { access_token, expires_in } = await response.json();
  token = { value: access_token, endsMs: Date.now() + (expires_in - 30) * 1000 };
  return token.value;
}

async function api(url, body) {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: \`Bearer \${await accessToken()}\`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(\`cannot call \${url}: \${await response.text()}\`);
  return response.json();
}
`;
}

function callText({ topic, addresses, app, project }: SnippetInput): string {
  switch (topic) {
    case "telemetry":
      return `const entry = { timestamp: new Date().toISOString(), level: "info", message: "hello", service: "${app}" };
console.log(await api("${addresses.ingest_url}/v1/ingest/logs", { entries: [entry] }));
`;
    case "query":
      return `const sql = "SELECT timestamp, message FROM logs WHERE level = $level ORDER BY timestamp DESC LIMIT 10";
console.log(await api("${addresses.query_url}/v1/query", { sql, parameters: { level: "error" } }));
`;
    case "files":
      return `const content = "name,amount\\nrent,700\\n";
const grant = await api("${addresses.storage_url}/v1/upload", {
  filename: "costs.csv",
  content_type: "text/csv",${project === null ? "" : `\n  project: "${project}",`}
});
await fetch(grant.data.upload_url, { method: "PUT", headers: { "content-type": "text/csv" }, body: content });
console.log((await api("${addresses.storage_url}/v1/files?limit=10")).data.files);
`;
    case "registry":
      return `console.log(await api("${addresses.portal_url}/v1/registry/repositories"));
`;
    case "webhooks":
      return `const { items } = await api("${addresses.portal_url}/v1/webhooks");
for (const { id, name } of items) console.log(name, await api(\`${addresses.portal_url}/v1/webhooks/\${id}/events\`));
`;
    case "token":
    case "s3":
      return `console.log(await api("${addresses.portal_url}/v1/me"));
`;
  }
}

function s3({ addresses, app }: SnippetInput): Snippet {
  return {
    title: "objects.mjs",
    about: "`npm install @aws-sdk/client-s3`, then `node objects.mjs`.",
    text: `import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

const s3 = new S3Client({ endpoint: "${addresses.s3_endpoint}", region: "us-east-1", forcePathStyle: true });
await s3.send(new PutObjectCommand({ Bucket: "${app}", Key: "2026/costs.csv", Body: "rent,700\\n", ContentType: "text/csv" }));
const { Body } = await s3.send(new GetObjectCommand({ Bucket: "${app}", Key: "2026/costs.csv" }));
console.log(await Body.transformToString());
const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "${app}", Prefix: "2026/" }));
for (const { Key, Size } of Contents) console.log(Key, Size);
`,
  };
}
