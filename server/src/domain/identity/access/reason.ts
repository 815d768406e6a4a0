import type { ProjectState, Scope } from "@mooring/contract";
import type { Suspension } from "#domain/suspension/index.ts";
import { Problem, type DecidedBy } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";

/** The reason why a credential lost a scope that it was given. */
export type Withheld =
  | { readonly by: "approval" | "policy" | "project" | "token" }
  /** It is limited to resources on which the scope does not act. */
  | { readonly by: "resources" }
  /** The role of the responsible person is too low. Null: they have left the organization. */
  | {
      readonly by: "role";
      readonly role: string | null;
      readonly projectRole: string | null;
      /** The role from before, if it had the scope. */
      readonly from?: string;
      /** Their membership has ended at this time. */
      readonly endedAtMs?: number;
    }
  /** The responsible credential lost the scope, for this reason. */
  | {
      readonly by: "parent";
      readonly id: string;
      /** `how`: how it ended, for example `revoked`. */
      readonly because: Withheld | { readonly by: "scope" } | { readonly by: "ended"; readonly how: string };
    };

/** The reason why something is not permitted. */
export type Reason =
  | Withheld
  /** The principal may not know that the resource exists. */
  | { readonly by: "hidden" }
  /** The operator suspended the organization, and its state forbids it to everybody. */
  | { readonly by: "organization"; readonly organization: Suspension }
  /** The project's state forbids it to everybody. */
  | { readonly by: "state"; readonly state: ProjectState }
  /** The credential does not have the scope. */
  | { readonly by: "scope" }
  /** The credential is limited to resources, and the request acts on more than these. */
  | { readonly by: "beyond resources" }
  /** The person's own role is too low. */
  | { readonly by: "own role"; readonly role: string; readonly projectRole: string | null };

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: Reason };

/** Returns the problem for a missing scope. Surfaces with another error format use its text. */
export function lacking(permission: Scope, reason: Reason): Problem {
  const options = { scope: permission, decidedBy: decidedBy(reason) };
  return new Problem("insufficient_scope", `This needs the scope ${permission}. ${sentenceOf(reason)}`, options);
}

/** Returns the name of the deciding check, for answers. */
export function decidedBy(reason: Reason): DecidedBy {
  if (reason.by === "parent") {
    const { because } = reason;
    return because.by === "scope" || because.by === "ended" ? "parent" : decidedBy(because);
  }
  if (reason.by === "own role") return "role";
  // For callers, the limits of a credential and of its token are part of its permissions.
  if (reason.by === "resources" || reason.by === "beyond resources" || reason.by === "organization") return "scope";
  return reason.by === "token" || reason.by === "hidden" || reason.by === "state" ? "scope" : reason.by;
}

function sentenceOf(reason: Reason): string {
  if (reason.by === "own role") return `Your role ${roleText(reason)} does not have it.`;
  if (reason.by === "scope" || reason.by === "hidden" || reason.by === "state" || reason.by === "organization")
    return "The credential was not given this scope.";
  if (reason.by === "beyond resources")
    return "The credential is limited to resources, and this acts on more than these. Use a credential without this limit.";
  if (reason.by === "token")
    return "The credential has it, but this token was issued without it. Ask for a token with that scope.";
  return `The credential was given this scope, but ${clauseOf(reason)}.`;
}

/** Returns the clause that explains why a credential lost the scope that it was given. */
export function clauseOf(reason: Withheld | { readonly by: "scope" }): string {
  switch (reason.by) {
    case "scope":
      return "it was not given this scope";
    case "token":
      return "this token was issued without it";
    case "approval":
      return "it waits for an approval";
    case "resources":
      return "it is limited to resources on which this scope does not act";
    case "policy":
      return "the organization's policy forbids it for credentials";
    case "project":
      return "its project was deleted, or is hidden from the person responsible for it";
    case "role":
      if (reason.role === null)
        return reason.endedAtMs === undefined
          ? "the person responsible for it has left the organization"
          : `the membership of the person responsible for it ended on ${isoFromMs(reason.endedAtMs)}`;
      return `the role of the person responsible for it was lowered ${reason.from === undefined ? "" : `from ${reason.from} `}to ${roleText(reason)}, which does not have it`;
    case "parent":
      if (reason.because.by === "ended")
        return `its parent ${reason.id} ${reason.because.how.startsWith("expired") ? "has" : "was"} ${reason.because.how}`;
      return reason.because.by === "scope"
        ? `its parent ${reason.id} lost this permission`
        : `its parent ${reason.id} lost it: ${clauseOf(reason.because)}`;
    default:
      throw new Error(`no words for ${String(reason satisfies never)}`);
  }
}

/** The most reasons in one text. */
const CLAUSES_MAX = 3;

/** Returns the different reasons in words, for the end of a sentence. */
export function clausesOf(reasons: Iterable<Withheld>): string {
  return [...new Set([...reasons].map(clauseOf))].slice(0, CLAUSES_MAX).join("; ");
}

function roleText({
  role,
  projectRole,
}: {
  readonly role: string | null;
  readonly projectRole: string | null;
}): string {
  return projectRole === null ? String(role) : `${role} (${projectRole} in the project)`;
}
