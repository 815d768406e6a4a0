import { accessKeyEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for rclone, with a remote in the environment, or in its configuration file without the secret. */
export function rcloneSnippets(input: SnippetInput): readonly Snippet[] {
  const { addresses, app } = input;
  return [
    accessKeyEnvironment(input),
    {
      title: "A remote from the environment",
      about: "With `env_auth` rclone reads the key from the variables above, so that no file contains it.",
      text: [
        "export RCLONE_CONFIG_MOORING_TYPE=s3 RCLONE_CONFIG_MOORING_PROVIDER=Other",
        "export RCLONE_CONFIG_MOORING_ENV_AUTH=true RCLONE_CONFIG_MOORING_REGION=us-east-1",
        `export RCLONE_CONFIG_MOORING_ENDPOINT=${addresses.s3_endpoint}`,
      ].join("\n"),
    },
    {
      title: "Copy, list, check",
      text: [
        "mkdir -p reports && printf 'rent,700\\n' > reports/costs.csv",
        `rclone copy reports mooring:${app}/reports`,
        `rclone ls mooring:${app}`,
        `rclone check reports mooring:${app}/reports`,
      ].join("\n"),
    },
    {
      title: "Or in ~/.config/rclone/rclone.conf",
      text: [
        "[mooring]",
        "type = s3",
        "provider = Other",
        "env_auth = true",
        "region = us-east-1",
        `endpoint = ${addresses.s3_endpoint}`,
      ].join("\n"),
    },
  ];
}
