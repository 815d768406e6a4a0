import type { Snippet } from "../../app/connect/snippets/shared.ts";

interface Secret {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly identityUrl: string;
  readonly registryDomain: string;
  readonly mayRegistry: boolean;
}

/** Where a new secret is put, each way without it becoming an argument of a process. */
export function secretSnippets(secret: Secret): readonly Snippet[] {
  const { clientId, clientSecret, identityUrl, registryDomain } = secret;
  return [
    {
      title: ".env",
      about: "For a file that is not committed and that only you can read.",
      text: [
        `MOORING_CLIENT_ID=${clientId}`,
        `MOORING_CLIENT_SECRET=${clientSecret}`,
        `MOORING_TOKEN_URL=${identityUrl}/oauth/token`,
      ].join("\n"),
    },
    {
      title: "GitHub Actions",
      about: "In the repository's checkout. The space before printf keeps it out of the history of most shells.",
      text: [
        `gh variable set MOORING_CLIENT_ID --body ${clientId}`,
        ` printf %s ${clientSecret} | gh secret set MOORING_CLIENT_SECRET`,
      ].join("\n"),
    },
    {
      title: "Kubernetes",
      about: "Save as mooring-secret.yaml, then `kubectl apply -f mooring-secret.yaml`, and delete the file.",
      text: [
        "apiVersion: v1",
        "kind: Secret",
        "metadata:",
        `  name: ${kubernetesName(secret.name)}`,
        "type: Opaque",
        "stringData:",
        `  MOORING_CLIENT_ID: ${clientId}`,
        `  MOORING_CLIENT_SECRET: ${clientSecret}`,
        "",
      ].join("\n"),
    },
    {
      title: "docker login",
      about: secret.mayRegistry
        ? "On standard input, so that it is not in the process list."
        : "This credential has no registry permission: login works, pull and push do not.",
      text: ` printf %s ${clientSecret} | docker login ${registryDomain} --username ${clientId} --password-stdin`,
    },
  ];
}

/** A name by RFC 1123, as Kubernetes asks for. */
export function kubernetesName(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "mooring" : `mooring-${slug}`;
}
