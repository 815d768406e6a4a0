import type { X509Certificate } from "node:crypto";
import type { JWTVerifyGetKey } from "jose";
import type { Verification } from "../types.ts";

export interface CheckOptions {
  /** Those that are valid now: the current one and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly verification: Verification;
  /** Needed only for senders whose keys are fetched. */
  readonly keys?: KeySource;
}

/** The keys that senders publish. The caller checks the host of the URL first. */
export interface KeySource {
  /** @throws KeysUnavailable, KeyRefusal */
  certificate(url: string): Promise<X509Certificate>;
  /** @throws KeysUnavailable, KeyRefusal */
  keySet(url: string): Promise<JWTVerifyGetKey>;
}

/** The sender's keys can't be read now, so nobody knows whether the request is authentic. */
export class KeysUnavailable extends Error {}

/** The named key can't be used. `message` is the reason of the refusal. */
export class KeyRefusal extends Error {}

/** Null when the request is verified, otherwise the reason, without secrets. */
export type Outcome = string | null;

const MISSING = " is missing";

export function missing(name: string): string {
  return name + MISSING;
}

/** Returns the reason of the first check that found its fields; null without checks. */
export function mostTelling(reasons: readonly string[]): Outcome {
  return reasons.find((reason) => !reason.endsWith(MISSING)) ?? reasons[0] ?? null;
}

export function twice(name: string): string {
  return `${name} is given twice`;
}
