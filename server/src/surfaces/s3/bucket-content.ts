import { grantOf } from "#domain/s3/index.ts";
import { Problem } from "#kernel/problem.ts";

/** The path where the portal's pages upload to the gateway: they may call only their own origin. */
export const CONTENT_PATH = "/v1/bucket-content";

/** The target is a query parameter, because browsers and routers change dots and slashes of keys in a path. */
export function contentUrl(apiUrl: string, target: string): string {
  return `${apiUrl}${CONTENT_PATH}?to=${encodeURIComponent(target)}`;
}

/**
 * Returns the gateway's target in such a URL. Accepts only targets that this server has signed, since its S3 listener
 * may not be reachable for everybody. The gateway verifies the signature.
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
