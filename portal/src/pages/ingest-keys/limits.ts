import { isSameList } from "../../access/address-list.ts";
import type { IngestKey } from "../../access/ingest-keys.ts";
import { namesIn } from "../../access/s3-keys.ts";

/** The texts in the fields. Empty: no limit. */
export type Limits = Readonly<Record<"origins" | "rate", string>>;

export const NO_LIMITS: Limits = { origins: "", rate: "" };

type Members = Pick<IngestKey, "origins" | "requests_per_second">;

/** Returns the texts of a key's limits. */
export function limitsOf({ origins, requests_per_second: rate }: Members): Limits {
  return { origins: (origins ?? []).join(", "), rate: rate === null ? "" : String(rate) };
}

/** Returns the members of a request. */
export function membersOf({ origins, rate }: Limits): { origins: string[] | null; requests_per_second: number | null } {
  const names = namesIn(origins);
  return { origins: names.length === 0 ? null : names, requests_per_second: rate === "" ? null : Number(rate) };
}

/** Returns only the members that changed. */
export function changedMembers(key: Members, limits: Limits): Partial<Members> {
  const { origins, requests_per_second } = membersOf(limits);
  return {
    ...(isSameList(origins, key.origins) ? {} : { origins }),
    ...(requests_per_second === key.requests_per_second ? {} : { requests_per_second }),
  };
}
