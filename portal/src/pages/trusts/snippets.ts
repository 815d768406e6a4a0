import type { Snippet } from "../../app/connect/snippets/shared.ts";
import { presetOf } from "./presets.ts";

export interface TrustSnippetInput {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  readonly clientId: string;
  readonly identityUrl: string;
  readonly registryDomain: string;
  /** Whether its credential may push or pull images; null: unknown. */
  readonly mayRegistry: boolean | null;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/**
 * Returns steps in which a job gets an access token with its platform's token. No token is in the arguments of a
 * process.
 */
export function trustSnippets(input: TrustSnippetInput): readonly Snippet[] {
  const registry = input.mayRegistry === false ? [] : [dockerLogin(input)];
  switch (presetOf(input)) {
    case "github":
      return [github(input), ...registry];
    case "gitlab":
      return [gitlab(input), ...registry];
    case "kubernetes":
      return [kubernetes(input), ...registry];
    case "other":
      return [
        {
          title: "Any job",
          about: "With the issuer's token for this audience in ASSERTION.",
          text: exchange(input, "$ASSERTION").join("\n"),
        },
        ...registry,
      ];
  }
}

/** Returns commands that put the access token into TOKEN. `assertion` is a word of the shell. */
function exchange({ clientId, identityUrl }: TrustSnippetInput, assertion: string): string[] {
  return [
    `TOKEN=$(printf %s "${assertion}" |`,
    `  curl -sS --fail-with-body ${identityUrl}/oauth/token -d grant_type=client_credentials -d client_id=${clientId} \\`,
    `    -d client_assertion_type=${ASSERTION_TYPE} --data-urlencode client_assertion@- |`,
    `  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  ];
}

function indented(lines: readonly string[], by: number): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}

function github(input: TrustSnippetInput): Snippet {
  const audience = encodeURIComponent(input.audience);
  return {
    title: "GitHub Actions",
    about: "Steps of a job. Later steps have the token in `MOORING_TOKEN`, and the log shows `***` instead.",
    text: [
      "permissions:",
      "  id-token: write",
      "  contents: read",
      "steps:",
      "  - name: Get a token",
      "    run: |",
      ...indented(
        [
          `ASSERTION=$(printf 'header = "Authorization: Bearer %s"\\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |`,
          `  curl -sS --fail-with-body --config - "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audience}" |`,
          `  sed 's/.*"value":"\\([^"]*\\)".*/\\1/')`,
          ...exchange(input, "$ASSERTION"),
          'echo "::add-mask::$TOKEN"',
          'echo "MOORING_TOKEN=$TOKEN" >> "$GITHUB_ENV"',
        ],
        6,
      ),
      "",
    ].join("\n"),
  };
}

function gitlab(input: TrustSnippetInput): Snippet {
  return {
    title: "GitLab CI",
    about: "A job of `.gitlab-ci.yml`. GitLab puts its token for this audience into the variable.",
    text: [
      "deploy:",
      "  id_tokens:",
      "    MOORING_ASSERTION:",
      `      aud: ${input.audience}`,
      "  script:",
      "    - |",
      ...indented(exchange(input, "$MOORING_ASSERTION"), 6),
      "",
    ].join("\n"),
  };
}

function kubernetes(input: TrustSnippetInput): Snippet {
  const account = input.subject.split(":").at(-1) ?? "";
  return {
    title: "Kubernetes",
    about:
      "Kubernetes gives the pod a token of its service account for this audience, and renews it. Run the commands at the end in the container.",
    text: [
      "spec:",
      `  serviceAccountName: ${account}`,
      "  containers:",
      "    - name: app",
      "      volumeMounts:",
      "        - { name: mooring, mountPath: /var/run/mooring, readOnly: true }",
      "  volumes:",
      "    - name: mooring",
      "      projected:",
      "        sources:",
      `          - serviceAccountToken: { path: token, audience: "${input.audience}", expirationSeconds: 3600 }`,
      "",
      ...exchange(input, "$(cat /var/run/mooring/token)").map((line) => `# ${line}`),
      "",
    ].join("\n"),
  };
}

function dockerLogin({ clientId, registryDomain, subject, issuer }: TrustSnippetInput): Snippet {
  const variable = presetOf({ issuer, subject }) === "github" ? "MOORING_TOKEN" : "TOKEN";
  return {
    title: "docker login",
    about:
      "Run this after the step that gets the token. The sign-in works while the token is valid: 15 minutes, unless the organization has another setting.",
    text: `printf %s "$${variable}" | docker login ${registryDomain} --username ${clientId} --password-stdin`,
  };
}
