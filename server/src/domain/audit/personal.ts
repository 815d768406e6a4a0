import { randomBytes } from "node:crypto";
import { sha256Hex } from "#kernel/digest.ts";
import type { AuditRow } from "./event.ts";

/** One personal part of an entry: the address of its actor, or the members of its detail that name a person. */
export interface Part {
  /** The person whom it is about. Null: the person with the e-mail address in it, who may have no account. */
  readonly subject: string | null;
  /** Makes the commitment useless for a guess. It is erased with the part. */
  readonly salt: string;
  /** JSON: `["ip", "192.0.2.1"]` or `["detail", {"email": "ada@example.com"}]` */
  readonly body: string;
}

type Content = readonly ["ip", string] | readonly ["detail", Readonly<Record<string, unknown>>];
type Subject = "actor" | "target" | "address";

interface PersonalRule {
  readonly subject: Subject;
  readonly members: readonly string[];
}

/**
 * The members of `detail` that name a person, by action. Every entry that can have an address, a name or a name of a
 * person's device is here.
 */
const PERSONAL: Readonly<Record<string, PersonalRule>> = {
  "person.create": { subject: "target", members: ["email"] },
  "person.verify": { subject: "target", members: ["email"] },
  "person.change_email": { subject: "target", members: ["from", "to"] },
  "person.update": { subject: "actor", members: ["name"] },
  "passkey.update": { subject: "actor", members: ["name"] },
  "login.create": { subject: "actor", members: ["name"] },
  "login.end": { subject: "actor", members: ["name"] },
  "login.reuse": { subject: "actor", members: ["name"] },
  "login.deny": { subject: "actor", members: ["name", "asked_from"] },
  "external_identity.link": { subject: "actor", members: ["subject"] },
  "invitation.create": { subject: "address", members: ["email"] },
  "invitation.renew": { subject: "address", members: ["email"] },
  "invitation.revoke": { subject: "address", members: ["email"] },
  "mail.test": { subject: "address", members: ["to"] },
};

const SALT_BYTES = 16;

/** The fields of an entry that can have personal parts. */
type Source = Pick<AuditRow, "action" | "actor_kind" | "actor_id" | "target_kind" | "target_id" | "ip">;

/**
 * Splits an entry into its hashed fields and its personal parts. The address of a program stays in the hashed fields,
 * because it is not one of a person.
 */
export function splitPersonal(
  row: Source,
  detail: string,
): { readonly ip: string | null; readonly detail: string; readonly parts: readonly Part[] } {
  const isPersons = row.actor_kind === "person" && row.actor_id !== null;
  const parts = isPersons && row.ip !== null ? [partOf(row.actor_id, ["ip", row.ip])] : [];
  const ip = isPersons ? null : row.ip;
  const rule = PERSONAL[row.action];
  if (rule === undefined) return { ip, detail, parts };
  const members = Object.entries(JSON.parse(detail) as object);
  const named = members.filter(([name]) => rule.members.includes(name));
  if (named.length === 0) return { ip, detail, parts };
  const rest = Object.fromEntries(members.filter(([name]) => !rule.members.includes(name)));
  const part = partOf(subjectIn(row, rule.subject), ["detail", Object.fromEntries(named)]);
  return { ip, detail: JSON.stringify(rest), parts: [...parts, part] };
}

function subjectIn(row: Source, subject: Subject): string | null {
  if (subject === "address") return null;
  return subject === "actor" ? row.actor_id : row.target_id;
}

function partOf(subject: string | null, content: Content): Part {
  return { subject, salt: randomBytes(SALT_BYTES).toString("hex"), body: JSON.stringify(content) };
}

/** Returns the digest that the entry's hash covers. */
export function commitmentOf({ salt, body }: Pick<Part, "salt" | "body">): string {
  return sha256Hex(`${salt} ${body}`);
}

/** Returns the parts of a row. Null stands for an erased one. */
export function partsOf(row: Pick<AuditRow, "personal">): (Part | null)[] {
  return row.personal === null ? [] : (JSON.parse(row.personal) as (Part | null)[]);
}

export function commitmentsOf(row: Pick<AuditRow, "commitments">): string[] {
  return row.commitments === null ? [] : (JSON.parse(row.commitments) as string[]);
}

/** Returns the entry with its personal parts in their places, as readers see it. */
export function shownRow(row: AuditRow): AuditRow {
  let { ip, detail } = row;
  for (const part of partsOf(row)) {
    if (part === null) continue;
    const [name, value] = JSON.parse(part.body) as Content;
    if (name === "ip") ip = value;
    else detail = JSON.stringify({ ...(JSON.parse(detail) as object), ...value });
  }
  return { ...row, ip, detail };
}

/** The person of an erasure. */
export interface Erased {
  readonly userId: string;
  /** Entries about the person's addresses, by organization and number. The addresses are gone by now. */
  readonly isAbout: (row: Pick<AuditRow, "org_id" | "seq" | "target_id">) => boolean;
}

/** Returns the row without the parts of a person, with the numbers of the erased parts. Undefined: it has none. */
export function withoutParts(row: AuditRow, person: Erased): { row: AuditRow; erased: number[] } | undefined {
  const parts = partsOf(row);
  const erased = parts.flatMap((part, n) => (part !== null && isOf(part, row, person) ? [n] : []));
  if (erased.length === 0) return undefined;
  const left = parts.map((part, n) => (erased.includes(n) ? null : part));
  return { row: { ...row, personal: JSON.stringify(left) }, erased };
}

function isOf({ subject }: Part, row: AuditRow, person: Erased): boolean {
  return subject === null ? person.isAbout(row) : subject === person.userId;
}

/**
 * Returns a row of an older version without the personal fields of a person. Its hash covers them, so its content no
 * longer has that hash. Undefined: it has none.
 */
export function withoutFields(row: AuditRow, person: Erased): AuditRow | undefined {
  const split = splitPersonal(row, row.detail);
  const mine = split.parts.filter((part) => isOf(part, row, person)).map(({ body }) => JSON.parse(body) as Content);
  // Older versions wrote the address of a test mail as the target.
  const isTarget = row.target_kind === "mail" && person.isAbout(row);
  if (mine.length === 0 && !isTarget) return undefined;
  return {
    ...row,
    ip: mine.some(([name]) => name === "ip") ? null : row.ip,
    detail: mine.some(([name]) => name === "detail") ? split.detail : row.detail,
    target_id: isTarget ? "test" : row.target_id,
  };
}
