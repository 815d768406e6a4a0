import { otherAdmins, personByEmail, personById, setAccount } from "#domain/accounts/index.ts";
import { absent } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOperator, type OperatorCaller, type OperatorDeps } from "./caller.ts";
import { deleteTokensOf, operatorsOf, type Operator } from "./store.ts";

type Who = { readonly email: string } | { readonly userId: string };

/** A person is named by id or by e-mail address. */
export function personNamed(text: string): Who {
  return isId("user", text) ? { userId: text } : { email: text };
}

/** Lists the operators. */
export function listOperators({ metadata }: Pick<OperatorDeps, "metadata">): Promise<Operator[]> {
  return operatorsOf(metadata.read);
}

/**
 * Gives the role to a person with an account.
 * @throws Problem `not_found`, `conflict` (the account is not set up)
 */
export async function giveOperatorRole(deps: OperatorDeps, by: OperatorCaller, who: Who): Promise<Operator> {
  return change(deps, who, async (tx, person) => {
    if (person.password_hash === null && person.last_seen_at === null)
      throw new Problem(
        "conflict",
        "This person has not set up the account yet. They can become an operator after that.",
      );
    if (person.instance_admin === 1) return person;
    await setAccount(tx, person.id, { instance_admin: 1 });
    const target = { kind: "user", id: person.id };
    await auditOperator(deps, tx, by, { action: "operator.give", target, detail: {} });
    return person;
  });
}

/**
 * Takes the role from an operator. The operator tokens that they created end. The last operator keeps the role, so that
 * nobody locks everybody out.
 * @throws Problem `not_found` (no operator), `conflict` (the last one)
 */
export async function takeOperatorRole(deps: OperatorDeps, by: OperatorCaller, who: Who): Promise<void> {
  await change(deps, who, async (tx, person) => {
    if (person.instance_admin !== 1) throw absent();
    if ((await otherAdmins(tx, person.id, "running")).length === 0)
      throw new Problem("conflict", "This is the last operator of the server. Give the role to another person first.");
    await setAccount(tx, person.id, { instance_admin: 0 });
    const tokens = await deleteTokensOf(tx, person.id);
    const target = { kind: "user", id: person.id };
    await auditOperator(deps, tx, by, { action: "operator.take", target, detail: { tokens } });
    return person;
  });
}

type Person = NonNullable<Awaited<ReturnType<typeof personById>>>;

/** Changes run one after another, so the last operator is still the last one when a change commits. */
function change(
  { metadata }: OperatorDeps,
  who: Who,
  work: (tx: Writer, person: Person) => Promise<Person>,
): Promise<Operator> {
  return metadata.write(async (tx) => {
    await metadata.lock(tx, "instance_admin");
    const person = "email" in who ? await personByEmail(tx, who.email.toLowerCase()) : await personById(tx, who.userId);
    if (person === undefined) throw absent();
    return work(tx, person);
  });
}
