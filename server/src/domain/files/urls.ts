import { timingSafeEqual } from "node:crypto";
import type { Envelope } from "#domain/identity/index.ts";
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
 * Creates and verifies URLs that need no token. A URL contains all its permissions, signed with a key that is derived
 * from the master key. So an invalid URL is refused without a look-up.
 */
export interface PresignedUrls {
  upload(claims: UploadClaims): string;
  download(claims: DownloadClaims): string;
  /** @throws Problem `presigned_url_invalid`, `presigned_url_expired` */
  checkUpload(fileId: string, query: UrlQuery, nowMs: number): UploadClaims;
  /** @throws Problem `presigned_url_invalid`, `presigned_url_expired` */
  checkDownload(fileId: string, query: UrlQuery, nowMs: number): DownloadClaims;
}

/** The path of the content, below `storage_url`. */
export const CONTENT_PATH = "/v1/content";

const VERSION = "mooring.content.1";

export function createPresignedUrls(options: {
  readonly storageUrl: string;
  readonly envelope: Pick<Envelope, "keyedHash">;
}): PresignedUrls {
  const { storageUrl, envelope } = options;
  const signed = (method: string, values: readonly (string | number)[]): string =>
    envelope.keyedHash("content-url", JSON.stringify([VERSION, method, ...values])).toString("base64url");
  const ofUpload = ({ fileId, contentType, bytesMax, expiresS }: UploadClaims): string =>
    signed("PUT", [fileId, contentType, bytesMax, expiresS]);
  const ofDownload = ({ fileId, grantedBy, expiresS }: DownloadClaims): string =>
    signed("GET", [fileId, grantedBy, expiresS]);
  const urlOf = (fileId: string, parameters: Record<string, string>): string =>
    `${storageUrl}${CONTENT_PATH}/${fileId}?${new URLSearchParams(parameters).toString()}`;

  return {
    upload: (claims) =>
      urlOf(claims.fileId, {
        expires: String(claims.expiresS),
        content_type: claims.contentType,
        bytes_max: String(claims.bytesMax),
        signature: ofUpload(claims),
      }),
    download: (claims) =>
      urlOf(claims.fileId, {
        expires: String(claims.expiresS),
        granted_by: claims.grantedBy,
        signature: ofDownload(claims),
      }),
    checkUpload: (fileId, query, nowMs) => {
      const { expires, content_type: contentType, bytes_max: bytesMax, signature } = textsIn(query, UPLOAD_PARAMETERS);
      const claims = { fileId, contentType, bytesMax: wholeNumber(bytesMax), expiresS: wholeNumber(expires) };
      requireSignature(signature, ofUpload(claims));
      requireUnexpired(claims.expiresS, nowMs);
      return claims;
    },
    checkDownload: (fileId, query, nowMs) => {
      const { expires, granted_by: grantedBy, signature } = textsIn(query, DOWNLOAD_PARAMETERS);
      const claims = { fileId, grantedBy, expiresS: wholeNumber(expires) };
      requireSignature(signature, ofDownload(claims));
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

function requireSignature(given: string, right: string): void {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  if (a.length !== b.length || !timingSafeEqual(a, b)) throw altered();
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
