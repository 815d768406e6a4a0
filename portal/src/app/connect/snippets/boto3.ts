import { accessKeyEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for boto3, which reads the key from the environment. */
export function boto3Snippets(input: SnippetInput): readonly Snippet[] {
  const { addresses, app } = input;
  return [
    accessKeyEnvironment(input),
    {
      title: "objects.py",
      about: "`pip install boto3`, then `python3 objects.py`.",
      text: `import boto3

s3 = boto3.client("s3", endpoint_url="${addresses.s3_endpoint}", region_name="us-east-1")
s3.put_object(Bucket="${app}", Key="2026/costs.csv", Body=b"rent,700\\n", ContentType="text/csv")
print(s3.get_object(Bucket="${app}", Key="2026/costs.csv")["Body"].read().decode())
for item in s3.list_objects_v2(Bucket="${app}", Prefix="2026/").get("Contents", []):
    print(item["Key"], item["Size"])
`,
    },
  ];
}
