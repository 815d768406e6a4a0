import { grantOf } from "#domain/s3/index.ts";
import { Problem } from "#kernel/problem.ts";

/** Path below the API's address where pages of its origin upload to the gateway. */
export const CONTENT_PATH = "/v1/bucket-content";

/** The target is in a parameter: in a path, browsers and routers would change dots and slashes of keys. */
export function contentUrl(apiUrl: string, target: string): string {
  return `${apiUrl}${CONTENT_PATH}?to=${encodeURIComponent(target)}`;
}

/**
 * The gateway's target of such a URL: only what this server has signed itself goes to the gateway from here, since its listener may be
 * one that not everybody reaches. Whether the signature is right is for the gateway to say.
 * @throws Problem `presigned_url_invalid`
 */
export function targetIn(query: Readonly<Record<string, unknown>>): string {
  const { to, ...others } = query;
  const credential = typeof to === "string" && to.startsWith("/") ? credentialIn(to) : undefined;
  if (typeof to === "string" && Object.keys(others).length === 0 && grantOf(credential ?? "") !== undefined) return to;
  throw new Problem("presigned_url_invalid", "This URL was altered; use it exactly as it was given.");
}

function credentialIn(target: string): string | undefined {
  const values = new URLSearchParams(target.slice(target.indexOf("?") + 1)).getAll("X-Amz-Credential");
  return values.length === 1 ? values[0]?.split("/")[0] : undefined;
}
