import { accessKeyEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for the AWS CLI, which reads the key and the endpoint from the environment. */
export function awsCliSnippets(input: SnippetInput): readonly Snippet[] {
  const { addresses, app } = input;
  return [
    accessKeyEnvironment(input),
    {
      title: "Copy, list, synchronize",
      about: "AWS CLI 2.13 or 1.29 and later read the endpoint from the environment; give older ones --endpoint-url.",
      text: [
        `printf 'rent,700\\n' > costs.csv`,
        `aws s3 cp costs.csv s3://${app}/2026/costs.csv`,
        `aws s3 ls s3://${app}/2026/`,
        `aws s3 sync . s3://${app}/backup --exclude '*' --include '*.csv'`,
      ].join("\n"),
    },
    {
      title: "Or as a profile: ~/.aws/config",
      about: "`aws configure --profile mooring` asks for the key and saves it; then `aws --profile mooring s3 ls`.",
      text: [
        "[profile mooring]",
        "region = us-east-1",
        "services = mooring",
        "s3 =",
        "  addressing_style = path",
        "",
        "[services mooring]",
        "s3 =",
        `  endpoint_url = ${addresses.s3_endpoint}`,
      ].join("\n"),
    },
  ];
}
