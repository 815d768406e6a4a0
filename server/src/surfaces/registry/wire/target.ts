export const TOKEN_PATH = "/v2/token";

/** The target of a path under `/v2/`. It is not checked here whether the name is a valid app. */
export type Target =
  | { readonly kind: "base" }
  | { readonly kind: "catalog" }
  | { readonly kind: "token" }
  | { readonly kind: "uploads"; readonly name: string }
  | { readonly kind: "upload"; readonly name: string; readonly session: string }
  | { readonly kind: "blob"; readonly name: string; readonly digest: string }
  | { readonly kind: "manifest"; readonly name: string; readonly reference: string }
  | { readonly kind: "tags"; readonly name: string }
  | { readonly kind: "referrers"; readonly name: string; readonly digest: string };

export type TargetKind = Target["kind"];

/** The end of a path. The name is everything before it, and may contain slashes. */
const FORMS: readonly (readonly [RegExp, (name: string, last: string) => Target])[] = [
  [/^(.+)\/blobs\/uploads\/?()$/, (name) => ({ kind: "uploads", name })],
  [/^(.+)\/blobs\/uploads\/([^/]+)$/, (name, session) => ({ kind: "upload", name, session })],
  [/^(.+)\/blobs\/([^/]+)$/, (name, digest) => ({ kind: "blob", name, digest })],
  [/^(.+)\/manifests\/([^/]+)$/, (name, reference) => ({ kind: "manifest", name, reference })],
  [/^(.+)\/tags\/list()$/, (name) => ({ kind: "tags", name })],
  [/^(.+)\/referrers\/([^/]+)$/, (name, digest) => ({ kind: "referrers", name, digest })],
];

/** Parses a path without its query; undefined when it is not one of the registry's. The path must not be decoded. */
export function parseTarget(path: string): Target | undefined {
  if (path === "/v2" || path === "/v2/") return { kind: "base" };
  if (path === "/v2/_catalog") return { kind: "catalog" };
  if (path === TOKEN_PATH) return { kind: "token" };
  const rest = path.startsWith("/v2/") ? path.slice(4) : "";
  for (const [form, make] of FORMS) {
    const [, name, last] = form.exec(rest) ?? [];
    if (name === undefined || last === undefined) continue;
    const decoded = decode(last);
    return decoded === undefined ? undefined : make(name, decoded);
  }
  return undefined;
}

/** Decodes a segment, since a digest's colon may be sent as %3A. The decoded segment is not used as a path. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
