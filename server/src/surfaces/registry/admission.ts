import {
  blobUnknown,
  isArchivedFor,
  manifestUnknown,
  may,
  parseName,
  RegistryError,
  repositoryByName,
  type Action,
  type RegistryDeps,
  type Repository,
} from "#domain/registry/index.ts";
import { callerOf, hasAsked, isGranted, TokenRefused, type Caller, type CallerDeps } from "./caller.ts";
import { challenge, type ChallengeDeps } from "./challenge.ts";
import type { Request } from "./exchange.ts";
import type { Target } from "./wire/target.ts";

export interface AdmissionDeps extends CallerDeps, ChallengeDeps, Pick<RegistryDeps, "metadata"> {}

/** A request that may do what it asks for. */
export interface Admitted {
  readonly caller: Caller;
  readonly repository: Repository;
  /** As it stands in the path. */
  readonly name: string;
}

/** What is asked: an action of a repository. */
export interface Question {
  readonly target: Target & { readonly name: string };
  readonly action: Action;
}

/**
 * The one place that lets a request through. Who may not do something is told so in a way that makes common clients print the reason and give up at once.
 * What may not be seen is answered like what does not exist.
 * @throws RegistryError `UNAUTHORIZED`, `DENIED`, or one that something is unknown
 */
export async function admit(deps: AdmissionDeps, request: Request, question: Question): Promise<Admitted> {
  const { name } = question.target;
  const { action } = question;
  const scope = scopeOf(question);
  const caller = await callerOf(deps, request).catch((error: unknown) => {
    throw error instanceof TokenRefused ? challenge(deps, request, { scope, error: "invalid_token" }) : error;
  });
  const repository = await repositoryByName(deps.metadata.read, name);
  const isAllowed = repository !== undefined && may(caller.principal, repository, action);
  if (!caller.isKnown) {
    if (isAllowed) return { caller, repository, name };
    throw challenge(deps, request, { scope });
  }
  if (caller.access !== undefined && !hasAsked(caller, name, action))
    throw challenge(deps, request, { scope, error: "insufficient_scope" });
  if (isAllowed && isGranted(caller, name, action)) return { caller, repository, name };
  throw denial(deps, request, { ...question, caller, isArchived: isArchivedFor(caller.principal, repository, action) });
}

function scopeOf({ target, action }: Question): string {
  return `repository:${target.name}:${action === "push" ? "pull,push" : action}`;
}

interface Refused extends Question {
  readonly caller: Caller;
  /** Nothing but that keeps the caller from it. */
  readonly isArchived: boolean;
}

/**
 * What a refused client is told. A push begins with questions of HEAD and GET, which must look as if nothing were there, so that the client goes on to
 * the POST and prints its reason; a pull that is refused at HEAD must be told by a challenge, since there is no body.
 */
function denial(deps: AdmissionDeps, request: Request, question: Refused): RegistryError {
  const { target, caller } = question;
  const message = `requested access to the resource is denied: ${reasonOf(deps, question)}`;
  const isQuestion = request.method === "HEAD" || request.method === "GET";
  if (!isQuestion) return new RegistryError("DENIED", message);
  const isPush = hasAsked(caller, target.name, "push") || hasAsked(caller, target.name, "delete");
  if (isPush) return unknown(target);
  if (request.method === "GET") return new RegistryError("DENIED", message);
  if (caller.access === undefined) return unknown(target);
  return challenge(deps, request, { scope: scopeOf(question), error: "insufficient_scope", description: message });
}

function unknown(target: Target): RegistryError {
  if (target.kind === "blob") return blobUnknown();
  if (target.kind === "manifest") return manifestUnknown();
  return new RegistryError("NAME_UNKNOWN", "there is no such repository, or you may not see it");
}

const VERBS: Readonly<Record<Action, string>> = { pull: "pull", push: "push to", delete: "delete from" };

function reasonOf(deps: AdmissionDeps, { target, action, caller, isArchived }: Refused): string {
  if (parseName(target.name) === undefined) return `image name must be ${deps.domain}/orgs/{org}/{app}`;
  if (caller.principal === null) return `authentication required, run "docker login ${deps.domain}"`;
  if (isArchived) return `the project of ${target.name} is archived, so its images can only be pulled`;
  return `${caller.principal.clientId} may not ${VERBS[action]} ${target.name}`;
}
