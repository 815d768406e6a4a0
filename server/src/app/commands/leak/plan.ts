import { readFileSync, writeFileSync } from "node:fs";
import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import { CommandError, UsageError } from "../command.ts";

/** A plan is a file of ids. A run takes it, and can be repeated. It contains no secret. */
export interface LeakPlan {
  readonly version: 1;
  readonly act: "revoke" | "rotate";
  /** For a rotation: how long the old secrets work. */
  readonly overlap_seconds: number;
  readonly made_at: string;
  readonly items: readonly PlannedItem[];
}

export interface PlannedItem {
  readonly kind: "credential" | "personal_token" | "s3_key";
  readonly id: string;
  readonly name: string;
  readonly created_by: string;
  readonly state: string;
  readonly last_used_at: string | null;
}

export interface Selection {
  /** The id of a person or a credential: what they created, and that for which they are responsible. */
  readonly maker: string | undefined;
  readonly project: string | undefined;
}

const ROWS = ORGANIZATION_ROUTES;

/** Lists the credentials and keys of a selection. The acting credential is the last, because it ends its own access. */
export async function plannedItems(client: Client, { maker, project }: Selection): Promise<PlannedItem[]> {
  const query = project === undefined ? {} : { project };
  const me = await client.call(ROWS.getMe, { purpose: "read who acts" });
  const items: PlannedItem[] = [];
  for await (const item of client.items(ROWS.listCredentials, { query, purpose: "list the credentials" }))
    if (isMadeBy(item, maker)) items.push(itemOf(item.kind === "personal" ? "personal_token" : "credential", item));
  for await (const item of client.items(ROWS.listS3Keys, { query, purpose: "list the S3 keys" }))
    if (isMadeBy(item, maker)) items.push(itemOf("s3_key", item));
  const isActing = ({ id }: PlannedItem): boolean => id === me.id;
  return [...items.filter((item) => !isActing(item)), ...items.filter(isActing)];
}

interface Listed extends Omit<PlannedItem, "kind"> {
  readonly responsible: { readonly id: string | null };
}

function isMadeBy({ created_by, responsible, state }: Listed, maker: string | undefined): boolean {
  return state !== "ended" && (maker === undefined || created_by === maker || responsible.id === maker);
}

function itemOf(kind: PlannedItem["kind"], { id, name, created_by, state, last_used_at }: Listed): PlannedItem {
  return { kind, id, name, created_by, state, last_used_at };
}

/** Returns the id of a maker. A person can be named by their address. */
export async function makerId(client: Client, maker: string): Promise<string> {
  if (!maker.includes("@")) return maker;
  for await (const { email, user_id: id } of client.items(ROWS.listMembers, { purpose: "find the person" }))
    if (email === maker.toLowerCase()) return id;
  throw new CommandError(`cannot make a plan: no member has the address ${maker}`);
}

export function writePlan(file: string, plan: Omit<LeakPlan, "version" | "made_at">): void {
  const content: LeakPlan = { version: 1, made_at: isoFromMs(systemClock.nowMs()), ...plan };
  try {
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    throw new CommandError(`cannot write the plan ${file}: ${(error as Error).message}; name a new file`);
  }
}

/** Reads a plan. People may remove items from it. @throws UsageError */
export function readPlan(file: string): LeakPlan {
  let plan: Partial<LeakPlan>;
  try {
    plan = JSON.parse(readFileSync(file, "utf8")) as Partial<LeakPlan>;
  } catch (error) {
    throw new UsageError(`cannot read the plan ${file}: ${(error as Error).message}`);
  }
  const isPlan =
    plan.version === 1 &&
    (plan.act === "revoke" || plan.act === "rotate") &&
    Number.isSafeInteger(plan.overlap_seconds) &&
    Array.isArray(plan.items) &&
    plan.items.every(isItem);
  if (!isPlan) throw new UsageError(`${file} is not a plan of mooring leak revoke or mooring leak rotate`);
  return plan as LeakPlan;
}

function isItem(item: unknown): boolean {
  const { kind, id } = item as Partial<PlannedItem>;
  return KINDS.has(kind) && typeof id === "string" && /^(?:cred|key)_\w+$/.test(id);
}

const KINDS: ReadonlySet<unknown> = new Set<PlannedItem["kind"]>(["credential", "personal_token", "s3_key"]);
