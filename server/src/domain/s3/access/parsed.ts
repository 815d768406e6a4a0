import type { Bucket } from "../types/index.ts";
import { parsePolicy, type Policy } from "./policy.ts";

/** Keeps a bucket's policy beside its configuration, so that it is parsed once for each that was read. */
const parsed = new WeakMap<Bucket["config"], Policy>();

export function policyOf(bucket: Pick<Bucket, "name" | "config">, text: string): Policy {
  const known = parsed.get(bucket.config);
  if (known !== undefined) return known;
  const policy = parsePolicy(text, bucket.name);
  parsed.set(bucket.config, policy);
  return policy;
}
