import { bytesText } from "../../kit/figures.ts";

const NEAR = 0.8;
const FULL = 0.95;

/**
 * Returns the used share of a quota: amber from 80 % on, red when it is nearly full. Without a quota there is no share.
 */
export function quotaState(
  bytes: number,
  quotaBytes: number | null,
): { kind: "go" | "none" | "warn" | "stop"; share: number | null; text: string } {
  if (quotaBytes === null) return { kind: "none", share: null, text: `${bytesText(bytes)}, no limit` };
  const share = quotaBytes === 0 ? 1 : Math.min(1, bytes / quotaBytes);
  const kind = share >= FULL ? "stop" : share >= NEAR ? "warn" : "go";
  return { kind, share, text: `${bytesText(bytes)} of ${bytesText(quotaBytes)}` };
}
