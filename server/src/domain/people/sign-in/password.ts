import { verifyPassword } from "#domain/organizations/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { secondFactorsOf } from "../factors/factors.ts";
import { beginSession } from "../sessions/sessions.ts";
import { personByEmail, personById, type Person } from "../store.ts";
import { beginAttempt } from "./attempts.ts";
import { refuse } from "./refusal.ts";

export type SignInStep =
  | { readonly status: "signed_in"; readonly secret: string }
  | {
      readonly status: "second_factor";
      readonly ticket: string;
      readonly methods: readonly ("totp" | "recovery_code" | "passkey")[];
    };

/** The hash for accounts without a password. Verifying it takes as long as any other, and no password matches. */
const NO_PASSWORD = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** @throws Problem `sign_in_failed`, `rate_limited`, `unavailable` */
export async function signInWithPassword(
  deps: PeopleDeps,
  input: { readonly email: string; readonly password: string },
  origin: Origin,
): Promise<SignInStep> {
  const email = input.email.toLowerCase();
  const person = await personByEmail(deps.metadata.read, email);
  const account = person?.id ?? email;
  deps.throttle.check(account, origin);
  if (!(await isPassword(deps, person, input.password, { account, origin })))
    throw await refuse(deps, { account, userId: person?.id ?? null, reason: reasonOf(person), origin });
  const userId = (person as Person).id;
  const methods = await secondFactorsOf(deps.metadata.read, userId);
  if (methods.length > 0) {
    return { status: "second_factor", ticket: await beginAttempt(deps, { kind: "second_factor", userId }), methods };
  }
  const secret = await deps.metadata.write((tx) => beginSession(deps, tx, userId, { method: "password", origin }));
  return { status: "signed_in", secret };
}

/**
 * Checks the password of a signed-in person.
 * @throws Problem `sign_in_failed`, `rate_limited`, `unavailable`
 */
export async function provePassword(
  deps: PeopleDeps,
  who: { readonly userId: string; readonly email: string },
  password: string,
  origin: Origin,
): Promise<void> {
  deps.throttle.check(who.userId, origin);
  const person = await personById(deps.metadata.read, who.userId);
  if (await isPassword(deps, person, password, { account: who.userId, origin })) return;
  throw await refuse(deps, { account: who.userId, userId: who.userId, reason: reasonOf(person), origin });
}

async function isPassword(
  deps: PeopleDeps,
  person: Person | undefined,
  password: string,
  by: { readonly account: string; readonly origin: Origin },
): Promise<boolean> {
  const phc = person?.password_hash ?? NO_PASSWORD;
  const { account, origin: from } = by;
  const verify = (): Promise<boolean> => {
    deps.throttle.check(account, from); // others may have failed while this one waited
    return verifyPassword(password, phc);
  };
  const isRight = await deps.throttle.hash(verify, { account, from });
  return isRight && phc !== NO_PASSWORD;
}

/** Returns the reason, for the audit log only. */
function reasonOf(person: Person | undefined): string {
  if (person === undefined) return "unknown person";
  return person.password_hash === null ? "no password" : "wrong password";
}
