import type { Bucket } from "../types/index.ts";
import { parsePolicy, type Policy } from "./policy.ts";

/** Caches the parsed policy with the bucket's configuration, so that it is parsed once for each read. */
const parsed = new WeakMap<Bucket["config"], Policy>();

export function policyOf(bucket: Pick<Bucket, "name" | "config">, text: string): Policy {
  const known = parsed.get(bucket.config);
  if (known !== undefined) return known;
  const policy = parsedOrDenying(text, bucket.name);
  parsed.set(bucket.config, policy);
  return policy;
}

/**
 * Parses a policy. A stored policy that is no longer valid denies everything. So nothing is open by mistake, and its
 * owner can still replace it.
 */
function parsedOrDenying(text: string, bucket: string): Policy {
  try {
    return parsePolicy(text, bucket);
  } catch {
    return DENYING;
  }
}

const EVERYTHING = { isNot: false, patterns: [() => true] };
const DENYING: Policy = {
  statements: [
    {
      name: "invalid policy",
      isDeny: true,
      principals: { isNot: false, everybody: true, names: new Set() },
      actions: EVERYTHING,
      resources: EVERYTHING,
      conditions: [],
    },
  ],
};
