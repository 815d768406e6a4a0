import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";
import { visibleText } from "~/kit/foreign.ts";

export type RefusedRequest = ResultOf<typeof ORGANIZATION_ROUTES.listRequests>["items"][number];

const LOST: Readonly<Record<NonNullable<RefusedRequest["decided_by"]["lost_at"]>, string>> = {
  token: "the token was issued without it",
  credential: "the credential was not given it",
  maker: "the person or credential responsible for it does not have it any more",
  role: "the role does not have it",
};

/** Returns where the permission was lost, in words. */
export function lossOf({ lost_at: lostAt }: RefusedRequest["decided_by"]): string | undefined {
  return lostAt === null ? undefined : LOST[lostAt];
}

/** Returns an act in words, with what it changes and who can do it. */
export function actText({ meaning, to, value, by }: RefusedRequest["would_allow"][number]): string {
  const about = [to, value].filter((part) => part !== null).map((part) => visibleText(part));
  const who = by.map((one) => (one === "caller" ? "the caller" : one)).join(", ");
  return `${meaning}${about.length === 0 ? "" : ` (${about.join(": ")})`} By: ${who}.`;
}

/** Returns a limit in words. */
export function limitText({ name, max, value, until }: NonNullable<RefusedRequest["decided_by"]["limit"]>): string {
  const most = max === null ? "" : `, at most ${max.toLocaleString("en")}`;
  const now = value === null ? "" : `, now ${value.toLocaleString("en")}`;
  return `${name}${most}${now}${until === null ? "" : `, until ${until}`}`;
}
