/** What the Connect dialog speaks of first. */
export type Topic = "token" | "telemetry" | "query" | "files" | "s3" | "registry" | "webhooks";
