import { shellWord } from "../kit/shell.ts";

/** The values that an S3 client needs. */
export interface S3Access {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The bucket in the snippets. */
  readonly bucket: string;
  readonly prefix: string;
}

export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** The file of the snippet, or its kind. */
  readonly about: string;
  readonly text: string;
}

/** A placeholder for a secret that is not known any more. */
export const SECRET_PLACEHOLDER = "SECRET_ACCESS_KEY";
export const KEY_PLACEHOLDER = "ACCESS_KEY_ID";
export const BUCKET_PLACEHOLDER = "BUCKET";

/** The gateway always accepts signatures for this region. */
const REGION = "us-east-1";

/** Returns the settings for each client. */
export function s3Snippets(access: S3Access): readonly Snippet[] {
  return [
    { id: "aws", title: "aws", about: "a separate profile, then any command", text: awsSnippet(access) },
    { id: "rclone", title: "rclone", about: "~/.config/rclone/rclone.conf", text: rcloneSnippet(access) },
    { id: "boto3", title: "boto3", about: "Python", text: boto3Snippet(access) },
    { id: "node", title: "Node", about: "@aws-sdk/client-s3", text: nodeSnippet(access) },
    { id: "duckdb", title: "DuckDB", about: "a secret, then SQL over files", text: duckdbSnippet(access) },
    { id: "env", title: ".env", about: "the format of most tools", text: envSnippet(access) },
  ];
}

/** Returns a command that lists the bucket, to show that the key works. */
export function testCommand({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  return [
    `AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey} AWS_DEFAULT_REGION=${REGION} \\`,
    `  aws --endpoint-url ${endpoint} s3 ls ${shellWord(`s3://${bucket}/${prefix}`)}`,
  ].join("\n");
}

function awsSnippet({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  return [
    `aws configure set --profile mooring aws_access_key_id ${accessKeyId}`,
    `aws configure set --profile mooring aws_secret_access_key ${secretAccessKey}`,
    `aws configure set --profile mooring region ${REGION}`,
    `aws configure set --profile mooring endpoint_url ${endpoint}`,
    "",
    `aws --profile mooring s3 cp report.csv ${shellWord(`s3://${bucket}/${prefix}report.csv`)}`,
    `aws --profile mooring s3 ls ${shellWord(`s3://${bucket}/${prefix}`)}`,
    "# aws before 2.13 does not read endpoint_url: add --endpoint-url to each command",
  ].join("\n");
}

function rcloneSnippet({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  return [
    "[mooring]",
    "type = s3",
    "provider = Other",
    `endpoint = ${endpoint}`,
    `access_key_id = ${accessKeyId}`,
    `secret_access_key = ${secretAccessKey}`,
    "",
    `# rclone copy ./reports ${shellWord(`mooring:${bucket}/${prefix}`)}`,
  ].join("\n");
}

function boto3Snippet({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  return [
    "import boto3",
    "",
    "s3 = boto3.client(",
    '    "s3",',
    `    endpoint_url=${quoted(endpoint)},`,
    `    region_name="${REGION}",`,
    `    aws_access_key_id=${quoted(accessKeyId)},`,
    `    aws_secret_access_key=${quoted(secretAccessKey)},`,
    ")",
    `s3.upload_file("report.csv", ${quoted(bucket)}, ${quoted(`${prefix}report.csv`)})`,
  ].join("\n");
}

function nodeSnippet({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  return [
    'import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";',
    "",
    "const s3 = new S3Client({",
    `  endpoint: ${quoted(endpoint)},`,
    `  region: "${REGION}",`,
    "  forcePathStyle: true,",
    `  credentials: { accessKeyId: ${quoted(accessKeyId)}, secretAccessKey: ${quoted(secretAccessKey)} },`,
    "});",
    `await s3.send(new PutObjectCommand({ Bucket: ${quoted(bucket)}, Key: ${quoted(`${prefix}hello.txt`)}, Body: "hello" }));`,
  ].join("\n");
}

function duckdbSnippet({ endpoint, accessKeyId, secretAccessKey, bucket, prefix }: S3Access): string {
  const { host, protocol } = new URL(endpoint);
  return [
    "CREATE SECRET mooring (",
    "  TYPE s3,",
    `  KEY_ID ${sqlText(accessKeyId)},`,
    `  SECRET ${sqlText(secretAccessKey)},`,
    `  ENDPOINT ${sqlText(host)},`,
    `  REGION '${REGION}',`,
    "  URL_STYLE 'path',",
    `  USE_SSL ${protocol === "https:"}`,
    ");",
    `SELECT * FROM read_parquet(${sqlText(`s3://${bucket}/${prefix}*.parquet`)}) LIMIT 10;`,
  ].join("\n");
}

function envSnippet({ endpoint, accessKeyId, secretAccessKey }: S3Access): string {
  return [
    `AWS_ENDPOINT_URL=${endpoint}`,
    `AWS_REGION=${REGION}`,
    `AWS_ACCESS_KEY_ID=${accessKeyId}`,
    `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
  ].join("\n");
}

/** Returns a string literal that is valid in Python and in JavaScript. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
