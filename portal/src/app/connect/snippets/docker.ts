import { credentialEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets to sign in by standard input, push and pull. podman, buildah and nerdctl have the same commands. */
export function dockerSnippets(input: SnippetInput): readonly Snippet[] {
  const { addresses, org, app, clientId } = input;
  const image = imageName(input);
  return [
    credentialEnvironment(input),
    {
      title: "Log in",
      about:
        "Docker keeps a refresh token for 90 days instead of the secret. podman and buildah have the same commands.",
      text: `printf %s "$MOORING_CLIENT_SECRET" | docker login ${addresses.registry_domain} --username ${clientId} --password-stdin`,
    },
    {
      title: "Push",
      about: `The app ${app} of ${org} is the repository; ${app}:latest is the image on your machine.`,
      text: `docker tag ${app}:latest ${image}:latest\ndocker push ${image}:latest`,
    },
    { title: "Pull", text: `docker pull ${image}:latest` },
  ];
}

/** Returns the name of an app's repository for container tools. */
export function imageName({ addresses, org, app }: Pick<SnippetInput, "addresses" | "org" | "app">): string {
  return `${addresses.registry_domain}/orgs/${org}/${app}`;
}
