import { containsRange, parseAddress, parseAddressRange } from "@mooring/contract";
import { LazyJson, type HookRequest } from "../request.ts";
import { senderOf } from "../senders/index.ts";
import { runChecks } from "./checks.ts";
import type { CheckOptions, Outcome } from "./outcome.ts";
import { genericChecksOf } from "./schemes.ts";

export { confirmationUrlOf } from "./code/index.ts";
export { FetchedKeys } from "./fetched-keys.ts";
export { KeysUnavailable, type KeySource } from "./outcome.ts";
export { textAt, textsAt, type Place } from "./places.ts";
export type { Check } from "./recipe.ts";
export { sameText } from "./signatures.ts";

/**
 * Returns null when the sender's signature or key is valid, otherwise the reason. A promise only for senders whose
 * tokens or keys need one. @throws KeysUnavailable
 */
export function verify(
  request: HookRequest,
  options: CheckOptions & { readonly json?: LazyJson },
): Outcome | Promise<Outcome> {
  const { verification, json = new LazyJson(request.body) } = options;
  const checks = senderOf(verification.scheme)?.verify ?? genericChecksOf(verification);
  return checks === undefined ? "the scheme is unknown" : runChecks(checks, { request, json }, options);
}

/** Tests whether an address may send. Without blocks, every address may. */
export function allowedBy(blocks: readonly string[]): (ip: string) => boolean {
  if (blocks.length === 0) return () => true;
  const ranges = blocks.map(parseAddressRange).filter((range) => range !== undefined);
  return (ip) => {
    const address = parseAddress(ip);
    return address !== undefined && ranges.some((range) => containsRange(range, address));
  };
}
