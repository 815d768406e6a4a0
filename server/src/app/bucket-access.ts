import type { BucketAccess } from "#stores/archive/index.ts";
import { processEnvironment } from "./config.ts";

/** Returns the access to a bucket from the usual variables of S3 clients. Undefined: they name no key. */
export function environmentAccess(): BucketAccess | undefined {
  const environment = processEnvironment();
  const [accessKeyId, secretAccessKey] = [environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: environment["AWS_SESSION_TOKEN"],
    endpoint: environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"],
    region: environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1",
  };
}
