export { S3_ERRORS, S3Error, type S3ErrorCode, type S3ErrorOptions } from "./errors.ts";
export * from "./types.ts";
