import { containsRange, parseAddress, parseAddressRange } from "@mooring/contract";
import type { HookRequest } from "../request.ts";
import { VERIFIERS, type VerifyOptions } from "./schemes.ts";

export { sameText } from "./signatures.ts";

/** Returns null when the sender's signature or key is valid, otherwise the reason. */
export function verify(request: HookRequest, options: VerifyOptions): string | null {
  const { scheme } = options.verification;
  return scheme === "none" ? null : VERIFIERS[scheme](request, options);
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
