import { organizationAllows, stateAllows } from "@mooring/contract";
import { decide, type Principal, type Reason } from "#domain/identity/index.ts";
import type { Access } from "./tokens.ts";
import { nameOf, resourceOf, type Action, type NamedRepository, type Subject } from "./types.ts";

export const CATALOG: Subject = { type: "registry", name: "catalog" };

/** The owner of a token. */
export interface Holder {
  /** With their current permissions. Null: nobody is signed in. */
  readonly principal: Principal | null;
  /** The requested and granted scopes of the token. Undefined without a token: then only the permissions decide. */
  readonly access: readonly Access[] | undefined;
}

export type Refusal =
  | Reason
  /** The token was not requested for this action. Its client may request another one. */
  | { readonly by: "unasked" }
  /** Nobody is signed in. */
  | { readonly by: "anonymous" };

export type AccessVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: Refusal };

export interface Question {
  readonly subject: Subject;
  readonly action: Action;
  /** The repository with the subject's name. Undefined if there is none, and for the catalog. */
  readonly repository: NamedRepository | undefined;
}

/**
 * Makes the one permission decision below `/v2`, from the token's granted scopes and its owner's current permissions.
 */
export function decideAccess({ principal, access }: Holder, question: Question): AccessVerdict {
  const { subject, action } = question;
  if (access === undefined) return rightTo(principal, question);
  const entry = access.find(({ type, name }) => type === subject.type && name === subject.name);
  if (entry?.asked.includes(action) !== true) return { allowed: false, reason: { by: "unasked" } };
  const right = rightTo(principal, question);
  if (right.allowed && !entry.granted.includes(action)) return { allowed: false, reason: { by: "token" } };
  return right;
}

/** Decides for an existing repository. */
export function mayDo(holder: Holder, repository: NamedRepository, action: Action): boolean {
  const subject: Subject = { type: "repository", name: nameOf(repository) };
  return decideAccess(holder, { subject, action, repository }).allowed;
}

/** Returns the part of the requested scopes that the owner's current permissions allow. */
export function grantAccess(principal: Principal | null, asked: Omit<Question, "action">, actions: readonly Action[]) {
  return actions.filter((action) => rightTo(principal, { ...asked, action }).allowed);
}

function rightTo(principal: Principal | null, { subject, action, repository }: Question): AccessVerdict {
  if (action === "pull" && repository?.isPublic === true && isOpen(repository)) return { allowed: true };
  if (principal === null) return { allowed: false, reason: { by: "anonymous" } };
  const permission = `registry:${action}` as const;
  if (subject.type === "registry") return decide(principal, permission);
  const verdict = repository === undefined ? HIDDEN : decide(principal, permission, resourceOf(repository));
  if (verdict.allowed || verdict.reason.by !== "hidden") return verdict;
  // The same words for hidden and absent repositories. A permission that the principal has nowhere is the better
  // reason.
  const anywhere = decide(principal, permission);
  return anywhere.allowed || anywhere.reason.by === "state" ? HIDDEN : anywhere;
}

/** Whether the states of the project and the organization allow everybody to pull a public image. */
function isOpen({ projectState, organization }: NamedRepository): boolean {
  return stateAllows(projectState, "registry:pull") && organizationAllows(organization.state, "registry:pull");
}

const HIDDEN = { allowed: false, reason: { by: "hidden" } } as const;

/** Whether the token was requested for an action. */
export function hasAsked({ access }: Holder, { type, name }: Subject, action: Action): boolean {
  return access?.some((one) => one.type === type && one.name === name && one.asked.includes(action)) ?? false;
}
