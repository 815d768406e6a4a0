/** The error codes of the distribution specification, each with the status that it usually has. */
export const REGISTRY_ERRORS = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
  /** Of clients and older registries, not of the specification: they say that a failure is ours. */
  UNKNOWN: 500,
  UNAVAILABLE: 503,
} as const satisfies Record<string, number>;

export type RegistryErrorCode = keyof typeof REGISTRY_ERRORS;

export interface RegistryErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON value: what the error is about. */
  readonly detail?: unknown;
  readonly cause?: unknown;
}

/** A refusal in the form of the distribution specification. The message is for people and holds no secret. */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly status: number;
  readonly options: RegistryErrorOptions;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RegistryError";
    this.code = code;
    this.status = options.status ?? REGISTRY_ERRORS[code];
    this.options = options;
  }
}

/** What every denial begins with: clients have looked for these words since the first registry. */
export function denied(reason: string): string {
  return `requested access to the resource is denied: ${reason}`;
}

export function blobUnknown(): RegistryError {
  return new RegistryError("BLOB_UNKNOWN", "the repository has no such blob");
}

export function uploadUnknown(): RegistryError {
  return new RegistryError("BLOB_UPLOAD_UNKNOWN", "there is no such upload, or it has ended; begin a new one");
}

export function manifestUnknown(): RegistryError {
  return new RegistryError("MANIFEST_UNKNOWN", "the repository has no such manifest");
}
