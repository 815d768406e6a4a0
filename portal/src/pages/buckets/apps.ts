import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type App = ResultOf<typeof ORGANIZATION_ROUTES.listApps>["items"][number];
export type S3Destination = ResultOf<typeof ORGANIZATION_ROUTES.listS3Destinations>["items"][number];

/** Returns why a slug is invalid for an app, or undefined if it is valid or empty. */
export function slugFault(slug: string, pattern: string): string | undefined {
  if (slug === "") return undefined;
  if (slug.length < 3 || slug.length > 63) return "3 to 63 characters";
  if (/[^a-z0-9.-]/.test(slug)) return "a-z, 0-9, dots and hyphens only";
  if (!/^[a-z0-9].*[a-z0-9]$/.test(slug)) return "must begin and end with a letter or a digit";
  if (!new RegExp(pattern).test(slug))
    return "two dots in a row, the form of an IP address, and names that S3 reserves are not allowed";
  return undefined;
}

/** Returns the aws command that sends a bucket's events to a destination. */
export function notificationCommand(endpoint: string, bucket: string, arn: string): string {
  const configuration = {
    QueueConfigurations: [{ QueueArn: arn, Events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"] }],
  };
  return [
    `aws --endpoint-url ${endpoint} s3api put-bucket-notification-configuration --bucket ${bucket} \\`,
    `  --notification-configuration '${JSON.stringify(configuration)}'`,
  ].join("\n");
}

/** Returns the commands that list and empty a bucket. */
export function bucketCommands(endpoint: string, bucket: string): { list: string; count: string; empty: string } {
  const aws = `aws --endpoint-url ${endpoint} s3`;
  return {
    list: `${aws} ls s3://${bucket}/`,
    count: `${aws} ls s3://${bucket} --recursive --summarize | tail -2`,
    empty: `${aws} rm s3://${bucket} --recursive`,
  };
}
