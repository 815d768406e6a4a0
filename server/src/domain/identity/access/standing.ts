import { Problem, type ProblemCode } from "#kernel/problem.ts";

/** The requirements of an organization for its people, in addition to their roles. */
export interface PeoplePolicy {
  readonly secondFactorRequired: boolean;
  /** Only a sign-in at the provider counts. */
  readonly providerRequired: boolean;
}

/** How a person has signed in; of a personal token, how its person can. */
export interface Standing {
  readonly hasSecondFactor: boolean;
  readonly byProvider: boolean;
}

export type Lacking = Extract<ProblemCode, "second_factor_required" | "provider_sign_in_required">;

const WHAT_TO_DO: Readonly<Record<Lacking, string>> = {
  second_factor_required:
    "This organization requires a second factor. Set up an authenticator app or a passkey in the portal, under Account, Signing in; who has one signs in with it.",
  provider_sign_in_required:
    "This organization takes people who sign in by single sign-on only. Sign out of the portal, and sign in with that.",
};

/** The missing requirement of a person; null: none. A provider's second factor is set at the provider. */
export function lackingOf(policy: PeoplePolicy, standing: Standing): Lacking | null {
  if (policy.providerRequired && !standing.byProvider) return "provider_sign_in_required";
  return policy.secondFactorRequired && !standing.hasSecondFactor ? "second_factor_required" : null;
}

/** @throws Problem `second_factor_required`, `provider_sign_in_required` */
export function requireNothingLacking(lacking: Lacking | null): void {
  if (lacking !== null) throw new Problem(lacking, WHAT_TO_DO[lacking]);
}
