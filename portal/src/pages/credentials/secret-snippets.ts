import type { Snippet } from "../../app/connect/snippets/shared.ts";

interface Secret {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly identityUrl: string;
  readonly registryDomain: string;
  readonly mayRegistry: boolean;
}

/** Returns commands that save a new secret in different places. The secret is never in the arguments of a process. */
export function secretSnippets(secret: Secret): readonly Snippet[] {
  const { clientId, clientSecret, identityUrl, registryDomain } = secret;
  return [
    {
      title: ".env",
      about: "Save it in a file that only you can read. Do not commit the file.",
      text: [
        `MOORING_CLIENT_ID=${clientId}`,
        `MOORING_CLIENT_SECRET=${clientSecret}`,
        `MOORING_TOKEN_URL=${identityUrl}/oauth/token`,
      ].join("\n"),
    },
    {
      title: "GitHub Actions",
      about:
        "In the repository's checkout. Because of the space before printf, most shells do not save the line in their history.",
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

/** Returns a name that Kubernetes accepts (RFC 1123). */
export function kubernetesName(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "mooring" : `mooring-${slug}`;
}
