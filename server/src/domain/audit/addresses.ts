import type { Reader } from "#stores/metadata/index.ts";
import { INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import { shownRow } from "./personal.ts";
import { rowsAbout, rowsByTime } from "./store.ts";

/** The newest test mails that are examined. */
const TEST_MAILS_READ = 1000;

/** Returns the addresses that a person had before, from the entries of their changes. */
export async function formerAddresses(db: Reader, userId: string): Promise<string[]> {
  const rows = await rowsAbout(db, userId, "person.change_email");
  const details = rows.map((row) => JSON.parse(shownRow(row).detail) as { from?: string; to?: string });
  return details.flatMap(({ from = "", to = "" }) => [from, to]).filter((address) => address !== "");
}

/** Returns the numbers of entries of the instance about mails to one of the addresses. */
export async function entriesToAddresses(db: Reader, addresses: readonly string[]): Promise<number[]> {
  const page = { filters: { action: "mail.test" }, limit: TEST_MAILS_READ, order: "desc", behind: undefined } as const;
  const rows = await rowsByTime(db, INSTANCE_CHAIN, page);
  return rows.filter((row) => addresses.includes(recipientOf(row))).map(({ seq }) => seq);
}

/** Older versions wrote the address as the target. */
function recipientOf(row: AuditRow): string {
  const { to } = JSON.parse(shownRow(row).detail) as { to?: string };
  return (to ?? row.target_id ?? "").toLowerCase();
}
