import type { Signatures } from "#domain/identity/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { Problem } from "#kernel/problem.ts";

export interface UploadClaims {
  readonly fileId: string;
  readonly contentType: string;
  readonly bytesMax: number;
  readonly expiresS: number;
}

/** The permissions of a download URL. */
export interface DownloadClaims {
  readonly fileId: string;
  /** The URL's creator. The URL works only while they may download. */
  readonly grantedBy: string;
  readonly expiresS: number;
}

/** The parameters of a URL. A parameter that came twice is a list. */
export type UrlQuery = Readonly<Record<string, unknown>>;

/**
 * Creates and verifies URLs that need no token. A URL contains all its permissions, signed with a key of the key ring. So
 * an invalid URL is refused without a look-up.
 */
export interface PresignedUrls {
  upload(claims: UploadClaims): string;
  download(claims: DownloadClaims): string;
  /** @throws Problem `presigned_url_invalid`, `presigned_url_expired` */
  checkUpload(fileId: string, query: UrlQuery, nowMs: number): Promise<UploadClaims>;
  /** @throws Problem `presigned_url_invalid`, `presigned_url_expired` */
  checkDownload(fileId: string, query: UrlQuery, nowMs: number): Promise<DownloadClaims>;
}

/** The path of the content, below `storage_url`. */
export const CONTENT_PATH = "/v1/content";

const VERSION = "mooring.content.1";

export function createPresignedUrls(options: {
  readonly storageUrl: string;
  readonly envelope: Pick<Signatures, "sign" | "verify">;
}): PresignedUrls {
  const { storageUrl, envelope } = options;
  const textOf = (method: string, values: readonly (string | number)[]): string =>
    JSON.stringify([VERSION, method, ...values]);
  const ofUpload = ({ fileId, contentType, bytesMax, expiresS }: UploadClaims): string =>
    textOf("PUT", [fileId, contentType, bytesMax, expiresS]);
  const ofDownload = ({ fileId, grantedBy, expiresS }: DownloadClaims): string =>
    textOf("GET", [fileId, grantedBy, expiresS]);
  const signed = (text: string): string => envelope.sign("content-url", text).toString("base64url");
  const requireSignature = async (given: string, text: string): Promise<void> => {
    const code = decodeBase64Url(given);
    if (code === undefined || !(await envelope.verify("content-url", text, code))) throw altered();
  };
  const urlOf = (fileId: string, parameters: Record<string, string>): string =>
    `${storageUrl}${CONTENT_PATH}/${fileId}?${new URLSearchParams(parameters).toString()}`;

  return {
    upload: (claims) =>
      urlOf(claims.fileId, {
        expires: String(claims.expiresS),
        content_type: claims.contentType,
        bytes_max: String(claims.bytesMax),
        signature: signed(ofUpload(claims)),
      }),
    download: (claims) =>
      urlOf(claims.fileId, {
        expires: String(claims.expiresS),
        granted_by: claims.grantedBy,
        signature: signed(ofDownload(claims)),
      }),
    checkUpload: async (fileId, query, nowMs) => {
      const { expires, content_type: contentType, bytes_max: bytesMax, signature } = textsIn(query, UPLOAD_PARAMETERS);
      const claims = { fileId, contentType, bytesMax: wholeNumber(bytesMax), expiresS: wholeNumber(expires) };
      await requireSignature(signature, ofUpload(claims));
      requireUnexpired(claims.expiresS, nowMs);
      return claims;
    },
    checkDownload: async (fileId, query, nowMs) => {
      const { expires, granted_by: grantedBy, signature } = textsIn(query, DOWNLOAD_PARAMETERS);
      const claims = { fileId, grantedBy, expiresS: wholeNumber(expires) };
      await requireSignature(signature, ofDownload(claims));
      requireUnexpired(claims.expiresS, nowMs);
      return claims;
    },
  };
}

const UPLOAD_PARAMETERS = ["expires", "content_type", "bytes_max", "signature"] as const;
const DOWNLOAD_PARAMETERS = ["expires", "granted_by", "signature"] as const;

/** Returns the parameters if there are exactly these, each of them once. */
function textsIn<const N extends string>(query: UrlQuery, names: readonly N[]): Record<N, string> {
  const isWhole = names.every((name) => typeof query[name] === "string");
  if (!isWhole || Object.keys(query).length !== names.length) throw altered();
  return query as Record<N, string>;
}

function wholeNumber(text: string): number {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) throw altered();
  return Number(text);
}

function requireUnexpired(expiresS: number, nowMs: number): void {
  if (nowMs < expiresS * 1000) return;
  throw new Problem("presigned_url_expired", "This URL has expired. Ask for a new one.");
}

export function altered(): Problem {
  const detail = "This URL was altered, or it is for another method or another server. Use it exactly as you got it.";
  return new Problem("presigned_url_invalid", detail);
}

/** The URL is valid, but its creator lost the permission. */
export function rightsLost(): Problem {
  return new Problem("forbidden", "The creator of this URL has lost the permission.");
}
