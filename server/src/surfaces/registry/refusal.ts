/** Errors of the registry as answers: their statuses and header fields (distribution specification, "Error codes"). */
import {
  RegistryError,
  UploadMoved,
  type RegistryErrorCode,
  type RegistryErrorOptions,
} from "#domain/registry/index.ts";

/** The usual status of each code. */
const STATUSES: Readonly<Record<RegistryErrorCode, number>> = {
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
  UNKNOWN: 500,
  UNAVAILABLE: 503,
};

export interface RefusalOptions extends RegistryErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with another status than its code's, or with header fields for the answer. */
export class RegistryRefusal extends RegistryError {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RegistryErrorCode, message: string, { status, headers = {}, ...options }: RefusalOptions) {
    super(code, message, options);
    this.status = status;
    this.headers = headers;
  }
}

export function statusOfRegistry(error: RegistryError): number {
  // RFC 9110 section 15.5.17: the chunk is not the next one.
  if (error instanceof UploadMoved) return 416;
  return (error instanceof RegistryRefusal ? error.status : undefined) ?? STATUSES[error.code];
}
