import { announcePersonalTokens } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isUniqueViolation, type Writer } from "#stores/metadata/index.ts";
import { auditPerson } from "./audit.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { personByEmail, personById, setAccount, useAccountLinks } from "./store.ts";

/**
 * Changes the address of an account. The new address is unverified. Links that were mailed to the old address end.
 * Returns the old address.
 * @throws Problem `conflict`: another account has the address, or this account has it already
 */
export async function changeAddress(
  deps: AccountsDeps,
  who: { readonly userId: string; readonly email: string },
  origin: Origin,
): Promise<{ from: string }> {
  try {
    return await deps.metadata.write((tx) => setAddress(deps, tx, who, origin));
  } catch (error) {
    if (isUniqueViolation(error, "person", ["email"])) throw taken();
    throw error;
  }
}

/** Changes the address in the caller's transaction. @throws Problem `conflict` */
export async function setAddress(
  deps: AccountsDeps,
  tx: Writer,
  { userId, email }: { readonly userId: string; readonly email: string },
  origin: Origin,
): Promise<{ from: string }> {
  const to = email.toLowerCase();
  await deps.metadata.lock(tx, `person:${userId}`);
  const from = (await personById(tx, userId))?.email ?? "";
  if (from === to) throw new Problem("conflict", "This is your address already.");
  if ((await personByEmail(tx, to)) !== undefined) throw taken();
  await setAccount(tx, userId, { email: to, verified_at: null });
  await useAccountLinks(tx, userId, deps.clock.nowMs());
  // Personal access tokens are used together with the address.
  await announcePersonalTokens(deps, tx, userId);
  await auditPerson(deps, tx, userId, { action: "person.change_email", origin, detail: { from, to } });
  return { from };
}

function taken(): Problem {
  return new Problem(
    "conflict",
    "Another account has this address. People sign in with their address, so it must be unique. Use another address.",
  );
}
