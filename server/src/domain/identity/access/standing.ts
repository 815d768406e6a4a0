import { Problem, type ProblemCode } from "#kernel/problem.ts";

/** An organization's requirements for people, in addition to their roles. */
export interface PeoplePolicy {
  readonly secondFactorRequired: boolean;
  /** People must sign in at the provider. */
  readonly providerRequired: boolean;
}

/** How a person signed in. For a personal access token: how its person can sign in. */
export interface Standing {
  readonly hasSecondFactor: boolean;
  readonly byProvider: boolean;
}

export type Lacking = Extract<ProblemCode, "second_factor_required" | "provider_sign_in_required">;

const WHAT_TO_DO: Readonly<Record<Lacking, string>> = {
  second_factor_required:
    "This organization requires a second factor. Set up an authenticator app or a passkey in the portal, under Account, Signing in. If you have one already, sign in with it.",
  provider_sign_in_required:
    "This organization requires single sign-on. Sign out of the portal, and sign in with single sign-on.",
};

/**
 * Returns the requirement that the person does not meet. Null: they meet all. People who sign in at the provider set up
 * their second factor there.
 */
export function lackingOf(policy: PeoplePolicy, standing: Standing): Lacking | null {
  if (policy.providerRequired && !standing.byProvider) return "provider_sign_in_required";
  return policy.secondFactorRequired && !standing.hasSecondFactor ? "second_factor_required" : null;
}

/** @throws Problem `second_factor_required`, `provider_sign_in_required` */
export function requireNothingLacking(lacking: Lacking | null): void {
  if (lacking !== null) throw new Problem(lacking, WHAT_TO_DO[lacking]);
}
