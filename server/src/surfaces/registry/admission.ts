import { clauseOf, explain, type CredentialPrincipal } from "#domain/identity/index.ts";
import { ruleOf } from "#domain/projects/index.ts";
import { suspensionText } from "#domain/suspension/index.ts";
import {
  blobUnknown,
  CATALOG,
  decideAccess,
  denied,
  hasAsked,
  manifestUnknown,
  parseName,
  RegistryError,
  repositoryByName,
  resourceOf,
  type Action,
  type Refusal,
  type RegistryDeps,
  type Repository,
  type Subject,
} from "#domain/registry/index.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import { callerOf, TokenRefused, type Caller, type CallerDeps } from "./caller.ts";
import { challenge, type ChallengeDeps } from "./challenge.ts";
import type { Request } from "./exchange.ts";
import type { Target } from "./wire/target.ts";

export interface AdmissionDeps extends CallerDeps, ChallengeDeps, Pick<RegistryDeps, "metadata"> {}

/** A request that has the permission it needs. */
export interface Admitted {
  readonly caller: Caller;
  readonly repository: Repository;
  /** The name in the path. */
  readonly name: string;
}

/** The action on a repository that needs a permission. */
export interface Question {
  readonly target: Target & { readonly name: string };
  readonly action: Action;
}

/**
 * Admits a request; no other place does. A refusal has a form that makes common clients print the reason and stop at
 * once. A hidden repository gets the answer of an absent one.
 * @throws RegistryError `UNAUTHORIZED`, `DENIED`, or one of the codes for unknown things
 */
export async function admit(deps: AdmissionDeps, request: Request, question: Question): Promise<Admitted> {
  const { name } = question.target;
  const { action } = question;
  const scope = scopeOf(question);
  const caller = await knownCaller(deps, request, scope);
  const repository = await repositoryByName(deps.metadata.read, name);
  const subject: Subject = { type: "repository", name };
  const verdict = decideAccess(caller, { subject, action, repository });
  if (verdict.allowed && repository !== undefined) return { caller, repository, name };
  const reason: Refusal = verdict.allowed ? { by: "hidden" } : verdict.reason;
  if (!caller.isKnown) throw challenge(deps, request, { scope });
  if (reason.by === "unasked") throw challenge(deps, request, { scope, error: "insufficient_scope" });
  throw denial(deps, request, { ...question, caller, subject, reason, repository });
}

/**
 * Returns the source repository of a mount if the caller may pull from it. Undefined when it does not exist or is
 * forbidden; then the client uploads the content.
 * @throws RegistryError `UNAUTHORIZED` when the token did not request the source: clients then request a token for both
 */
export async function admitSource(
  deps: AdmissionDeps,
  request: Request,
  { caller, name }: Admitted,
  from: string,
): Promise<Repository | undefined> {
  const repository = await repositoryByName(deps.metadata.read, from);
  const verdict = decideAccess(caller, { subject: { type: "repository", name: from }, action: "pull", repository });
  if (verdict.allowed) return repository;
  if (verdict.reason.by !== "unasked") return undefined;
  const scope = `repository:${name}:pull,push repository:${from}:pull`;
  throw challenge(deps, request, { scope, error: "insufficient_scope" });
}

/** The caller of the catalog, and whether the token includes the catalog. Without it the list is empty. */
export interface ToCatalog {
  readonly principal: CredentialPrincipal;
  readonly isGranted: boolean;
}

const CATALOG_SCOPE = "registry:catalog:*";

/**
 * Admits every signed-in caller to the catalog. The permissions decide its content.
 * @throws RegistryError `UNAUTHORIZED`
 */
export async function admitToCatalog(deps: AdmissionDeps, request: Request): Promise<ToCatalog> {
  const caller = await signedIn(deps, request, CATALOG_SCOPE);
  const verdict = decideAccess(caller, { subject: CATALOG, action: "pull", repository: undefined });
  if (!verdict.allowed && verdict.reason.by === "unasked")
    throw challenge(deps, request, { scope: CATALOG_SCOPE, error: "insufficient_scope" });
  return { principal: caller.principal, isGranted: verdict.allowed };
}

/** @throws RegistryError `UNAUTHORIZED` */
export async function signedIn(
  deps: AdmissionDeps,
  request: Request,
  scope?: string,
): Promise<Caller & { readonly principal: CredentialPrincipal }> {
  const caller = await knownCaller(deps, request, scope);
  const { principal } = caller;
  if (principal === null) throw challenge(deps, request, { scope });
  return { ...caller, principal };
}

async function knownCaller(deps: AdmissionDeps, request: Request, scope: string | undefined): Promise<Caller> {
  return callerOf(deps, request).catch((error: unknown) => {
    throw error instanceof TokenRefused ? challenge(deps, request, { scope, error: "invalid_token" }) : error;
  });
}

function scopeOf({ target, action }: Question): string {
  return `repository:${target.name}:${action === "push" ? "pull,push" : action}`;
}

interface Refused extends Question {
  readonly repository: Repository | undefined;
  readonly caller: Caller;
  readonly subject: Subject;
  readonly reason: Refusal;
}

/**
 * Returns the error for a refused client. A push begins with HEAD and GET requests, which must get 404, so that the
 * client continues with the POST and prints its reason. A pull that is refused at HEAD must get a challenge, since its
 * answer has no body.
 */
function denial(deps: AdmissionDeps, request: Request, question: Refused): RegistryError {
  const { target, caller, subject } = question;
  const message = denied(reasonOf(deps, question));
  const facts = (): RefusalFacts => factsOf(question);
  const isQuestion = request.method === "HEAD" || request.method === "GET";
  if (!isQuestion) return new RegistryError("DENIED", message, { facts });
  const isPush = hasAsked(caller, subject, "push") || hasAsked(caller, subject, "delete");
  if (isPush) return unknown(target, facts);
  if (request.method === "GET") return new RegistryError("DENIED", message, { facts });
  if (caller.access === undefined) return unknown(target, facts);
  return challenge(deps, request, {
    scope: scopeOf(question),
    error: "insufficient_scope",
    description: message,
    facts,
  });
}

function unknown(target: Target, facts: () => RefusalFacts): RegistryError {
  if (target.kind === "blob") return blobUnknown({ facts });
  if (target.kind === "manifest") return manifestUnknown({ facts });
  return new RegistryError("NAME_UNKNOWN", "there is no such repository, or you may not see it", { facts });
}

/** Explains a denial for the record of refused requests. */
function factsOf({ caller: { principal }, action, reason, repository }: Refused): RefusalFacts {
  const permission = `registry:${action}` as const;
  if (principal === null) return { rule: "credentials", permission };
  if (reason.by === "token") {
    const act = { act: "request_token", to: principal.id, value: permission, by: ["caller"] };
    return { rule: "scope", permission, lostAt: "token", wouldAllow: [act] };
  }
  const there = repository === undefined ? undefined : explain(principal, permission, resourceOf(repository));
  const isHidden = there?.resource?.isHidden ?? true;
  // A permission that the caller has nowhere is the better reason, as in the answer.
  const facts = isHidden && reason.by !== "hidden" ? explain(principal, permission) : there;
  return facts ?? { rule: "absent" };
}

const VERBS: Readonly<Record<Action, string>> = { pull: "pull", push: "push to", delete: "delete from" };

function reasonOf(deps: AdmissionDeps, { target, action, caller, reason }: Refused): string {
  const { principal } = caller;
  if (parseName(target.name) === undefined) return `image name must be ${deps.domain}/orgs/{org}/{app}`;
  if (principal === null) return `authentication required, run "docker login ${deps.domain}"`;
  if (reason.by === "state") {
    const { name, images } = ruleOf(reason.state);
    return `the project of ${target.name} is ${name}, so its images ${images}`;
  }
  if (reason.by === "organization") return suspensionText(reason.organization);
  const what = `${principal.clientId} may not ${VERBS[action]} ${target.name}`;
  return `${what}: ${decidedFor(principal, `registry:${action}`, reason)}`;
}

/** The reason in words; the same for hidden and absent resources. */
function decidedFor({ projectId, limits }: CredentialPrincipal, permission: string, reason: Refusal): string {
  const { by } = reason;
  if (by === "beyond resources" || (by === "hidden" && limits !== undefined))
    return "it is limited to certain repositories, and this is none of them";
  if (by === "scope") return `it was not given ${permission}`;
  if (by === "own role") return `the role ${reason.role} does not hold ${permission}`;
  if (by === "state" || by === "organization" || by === "anonymous" || by === "unasked")
    throw new Error(`${by} has a separate answer`);
  if (by !== "hidden") return `it was given ${permission}, but ${clauseOf(reason)}`;
  return projectId === null
    ? "there is no such app, or it may not see it"
    : "it can reach the apps of one project only, and that project has no such app";
}
