import type { MetadataStore } from "#stores/metadata/index.ts";
import { readLines, recordsPath } from "./format.ts";
import type { OpenExport } from "./read.ts";
import { knownPeople, type Row } from "./store.ts";

/** The domain of addresses that nobody has (RFC 2606). */
const NOBODY = "unclaimed.invalid";

/** How the people of an export arrive. */
export interface ArrivingPeople {
  /** Accounts that are here already, with the same id. They stay unchanged, and keep their own secrets. */
  readonly known: ReadonlySet<string>;
  /** People whose address has another account here. They get an address that nobody has. */
  readonly unclaimed: ReadonlyMap<string, string>;
  /** Returns the row of a person for this server, or null if the account is here already. */
  row(row: Row): Row | null;
}

/**
 * Compares the people of the export with the accounts of this server. Accounts are never linked by their address:
 * otherwise a prepared export could give its maker the rights of another person, or take over an account.
 */
export async function arrivingPeople(
  { read }: Pick<MetadataStore, "read">,
  { archive, file }: OpenExport,
): Promise<ArrivingPeople> {
  const arriving = new Map<string, string>();
  for await (const value of readLines(archive, file(recordsPath("person")))) {
    const { id, email } = value as Row;
    arriving.set(String(id), String(email));
  }
  const present = await knownPeople(
    read,
    [...arriving].map(([id, email]) => ({ id, email })),
  );
  const known = new Set(present.filter(({ id }) => arriving.has(id)).map(({ id }) => id));
  const taken = new Map(present.map(({ id, email }) => [email, id]));
  const unclaimed = new Map<string, string>();
  for (const [id, email] of arriving)
    if (!known.has(id) && taken.has(email) && taken.get(email) !== id) unclaimed.set(id, email);
  return {
    known,
    unclaimed,
    row: (row) => {
      const id = String(row["id"]);
      if (known.has(id)) return null;
      return unclaimed.has(id) ? { ...row, email: `${id}@${NOBODY}`, password_hash: null } : row;
    },
  };
}
