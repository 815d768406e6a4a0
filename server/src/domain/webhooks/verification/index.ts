import { BlockList, isIP } from "node:net";
import type { HookRequest } from "../request.ts";
import { VERIFIERS, type VerifyOptions } from "./schemes.ts";

export { sameText } from "./signatures.ts";

/** Null when the request is the sender's; else why not. */
export function verify(request: HookRequest, options: VerifyOptions): string | null {
  const { scheme } = options.verification;
  return scheme === "none" ? null : VERIFIERS[scheme](request, options);
}

/** Whether an address may send; no block: any may. */
export function allowedBy(blocks: readonly string[]): (ip: string) => boolean {
  if (blocks.length === 0) return () => true;
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (ip) => {
    const plain = ip.startsWith("::ffff:") && isIP(ip.slice(7)) === 4 ? ip.slice(7) : ip;
    return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
  };
}
