/** The first topic of the Connect dialog. */
export type Topic = "token" | "telemetry" | "query" | "files" | "s3" | "registry" | "webhooks";
