import { imageName } from "./docker.ts";
import { PLACEHOLDERS, type Snippet, type SnippetInput } from "./shared.ts";

/** A workflow that reads its secret from the repository's secrets. `gh` gets the secret by standard input. */
export function gitHubActionsSnippets(input: SnippetInput): readonly Snippet[] {
  return [input.topic === "s3" ? accessKeySecret(input) : clientSecret(input), workflow(input)];
}

/** Saves a client secret among a repository's secrets. The secret is not in the arguments of a process. */
export function clientSecret({
  clientId,
  clientSecret: secret,
}: Pick<SnippetInput, "clientId" | "clientSecret">): Snippet {
  return {
    title: "The secret, once",
    about:
      secret === undefined
        ? "In the repository's checkout. The second command asks for the secret: paste it, then press Enter."
        : "In the repository's checkout. `printf` is part of the shell: the secret is not in a process's arguments.",
    text: [
      `gh variable set MOORING_CLIENT_ID --body ${clientId}`,
      secret === undefined
        ? "gh secret set MOORING_CLIENT_SECRET"
        : ` printf %s ${secret} | gh secret set MOORING_CLIENT_SECRET`,
    ].join("\n"),
  };
}

function accessKeySecret({ accessKeyId, secretAccessKey }: SnippetInput): Snippet {
  return {
    title: "The secret, once",
    about: "In the repository's checkout.",
    text: [
      `gh variable set MOORING_ACCESS_KEY_ID --body ${accessKeyId}`,
      secretAccessKey === undefined
        ? "gh secret set MOORING_SECRET_ACCESS_KEY"
        : ` printf %s ${secretAccessKey} | gh secret set MOORING_SECRET_ACCESS_KEY`,
    ].join("\n"),
  };
}

function workflow(input: SnippetInput): Snippet {
  const steps = { s3: bucketSteps, registry: imageSteps }[input.topic as "s3" | "registry"] ?? callSteps;
  return {
    title: ".github/workflows/mooring.yml",
    ...(isLocal(input) && {
      about: "This server has a local address, which GitHub's runners cannot reach.",
    }),
    text: `name: mooring
on: { push: { branches: [main] } }
permissions: { contents: read }
jobs:
  mooring:
    runs-on: ubuntu-latest
    steps:
${steps(input)}`,
  };
}

function isLocal({ addresses }: SnippetInput): boolean {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(addresses.portal_url);
}

function imageSteps(input: SnippetInput): string {
  const image = imageName(input);
  return `      - uses: actions/checkout@v4
      - uses: docker/login-action@v3
        with:
          registry: ${input.addresses.registry_domain}
          username: \${{ vars.MOORING_CLIENT_ID }}
          password: \${{ secrets.MOORING_CLIENT_SECRET }}
      - uses: docker/build-push-action@v6
        with:
          context: .
          push: true
          tags: ${image}:latest,${image}:\${{ github.sha }}
`;
}

function bucketSteps({ addresses, app }: SnippetInput): string {
  return `      - uses: actions/checkout@v4
      - run: aws s3 sync . "s3://${app}/$GITHUB_REPOSITORY" --exclude '.git/*'
        env:
          AWS_ACCESS_KEY_ID: \${{ vars.MOORING_ACCESS_KEY_ID }}
          AWS_SECRET_ACCESS_KEY: \${{ secrets.MOORING_SECRET_ACCESS_KEY }}
          AWS_ENDPOINT_URL_S3: ${addresses.s3_endpoint}
          AWS_DEFAULT_REGION: us-east-1
`;
}

function callSteps(input: SnippetInput): string {
  return `      - name: Token
        env:
          MOORING_CLIENT_ID: \${{ vars.MOORING_CLIENT_ID }}
          MOORING_CLIENT_SECRET: \${{ secrets.MOORING_CLIENT_SECRET }}
        run: |
          TOKEN=$(printf 'user = "%s:%s"\\n' "$MOORING_CLIENT_ID" "$MOORING_CLIENT_SECRET" |
            curl -sS --fail-with-body --config - ${input.addresses.identity_url}/oauth/token -d grant_type=client_credentials |
            jq -r .access_token)
          echo "::add-mask::$TOKEN"
          echo "TOKEN=$TOKEN" >> "$GITHUB_ENV"
      - name: ${callOf(input).name}
        run: |
          printf 'header = "Authorization: Bearer %s"\\n' "$TOKEN" |
            curl -sS --fail-with-body --config - ${callOf(input).command}
`;
}

function callOf({ topic, addresses, app }: SnippetInput): { readonly name: string; readonly command: string } {
  const json = "-H 'Content-Type: application/json'";
  const service = app === PLACEHOLDERS.app ? "ci" : app;
  if (topic === "telemetry") {
    const entry = `{"timestamp": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'", "level": "info", "message": "built '"$GITHUB_SHA"'", "service": "${service}"}`;
    return {
      name: "Log the build",
      command: `${addresses.ingest_url}/v1/ingest/logs ${json} -d '{"entries": [${entry}]}'`,
    };
  }
  if (topic === "query")
    return {
      name: "Ask",
      command: `${addresses.query_url}/v1/query ${json} -d '{"sql": "SELECT level, count(*) AS entries FROM logs GROUP BY level"}'`,
    };
  if (topic === "files") return { name: "List files", command: `'${addresses.storage_url}/v1/files?limit=10'` };
  if (topic === "webhooks") return { name: "List webhooks", command: `${addresses.portal_url}/v1/webhooks` };
  return { name: "Who am I", command: `${addresses.portal_url}/v1/me` };
}
