import { parseDigest, RegistryError, type ContentDigest, type Repository } from "#domain/registry/index.ts";
import type { Admitted } from "./admission.ts";
import type { Reply, Request } from "./exchange.ts";
import type { RegistrySurfaceDeps } from "./deps.ts";
import type { Target } from "./wire/target.ts";
import { RegistryRefusal } from "./refusal.ts";

/** An operation of the distribution specification on an admitted request. */
export type RegistryOperation<K extends Target["kind"] = Target["kind"]> = (
  deps: RegistrySurfaceDeps,
  exchange: Exchange<K>,
) => Promise<Reply>;

/** An admitted request of any route, and its answer. */
export interface AnyExchange extends Admitted {
  readonly query: URLSearchParams;
  readonly request: Request;
  readonly reply: Reply;
}

export interface Exchange<K extends Target["kind"] = Target["kind"]> extends AnyExchange {
  readonly target: Extract<Target, { kind: K }>;
}

/** @throws RegistryError `DIGEST_INVALID` */
export function requireDigest(text: string | null): ContentDigest {
  const digest = parseDigest(text ?? "");
  if (digest !== undefined) return digest;
  throw new RegistryError("DIGEST_INVALID", "a digest is sha256: or sha512: and lower-case hexadecimal digits");
}

/** Returns a relative path, which is right for every host name of the server. */
export function pathOf({ orgSlug, appSlug }: Repository, rest: string): string {
  return `/v2/orgs/${orgSlug}/${appSlug}/${rest}`;
}

/**
 * Returns the page size: the caller's `n`, up to the limit.
 * @throws RegistryError when it is not a number
 */
export function pageSize(query: URLSearchParams, max: number): number {
  const text = query.get("n");
  if (text === null) return max;
  if (!/^\d{1,15}$/.test(text))
    throw new RegistryRefusal("UNSUPPORTED", "n must be a whole number", {
      status: 400,
      detail: { n: text.slice(0, 100) },
    });
  return Math.min(Number(text), max);
}

/** Returns `Link` to the next page (RFC 8288). */
export function nextLink(path: string, parameters: Readonly<Record<string, string>>): string {
  return `<${path}?${new URLSearchParams(parameters).toString()}>; rel="next"`;
}
