import type { RefusalFacts } from "#kernel/refusal.ts";

/** The error codes of the distribution specification. `surfaces/registry/errors.ts` gives each its status. */
export const REGISTRY_ERRORS = [
  "BLOB_UNKNOWN",
  "BLOB_UPLOAD_INVALID",
  "BLOB_UPLOAD_UNKNOWN",
  "DIGEST_INVALID",
  "MANIFEST_BLOB_UNKNOWN",
  "MANIFEST_INVALID",
  "MANIFEST_UNKNOWN",
  "NAME_INVALID",
  "NAME_UNKNOWN",
  "SIZE_INVALID",
  "UNAUTHORIZED",
  "DENIED",
  "UNSUPPORTED",
  "TOOMANYREQUESTS",
  /** Not in the specification, but clients and older registries use it for failures of the server. */
  "UNKNOWN",
  "UNAVAILABLE",
] as const;

export type RegistryErrorCode = (typeof REGISTRY_ERRORS)[number];

export interface RegistryErrorOptions {
  /** A JSON value with details. */
  readonly detail?: unknown;
  /** What decided, for the record of refused requests; never sent. */
  readonly facts?: () => RefusalFacts;
  readonly cause?: unknown;
}

/** A refusal in the form of the distribution specification. The message is for people and contains no secret. */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly options: RegistryErrorOptions;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RegistryError";
    this.code = code;
    this.options = options;
  }
}

/** Returns a denial. Clients have always looked for the words at its beginning. */
export function denied(reason: string): string {
  return `requested access to the resource is denied: ${reason}`;
}

export function blobUnknown(options: RegistryErrorOptions = {}): RegistryError {
  return new RegistryError("BLOB_UNKNOWN", "the repository has no such blob", options);
}

export function uploadUnknown(): RegistryError {
  return new RegistryError("BLOB_UPLOAD_UNKNOWN", "there is no such upload, or it has ended. Start a new one");
}

export function manifestUnknown(options: RegistryErrorOptions = {}): RegistryError {
  return new RegistryError("MANIFEST_UNKNOWN", "the repository has no such manifest", options);
}
