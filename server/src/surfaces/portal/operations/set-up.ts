import type { PORTAL_ROUTES, ResultOf, Scope } from "@mooring/contract";
import { FailureDelay, failurePlaceOf, type PersonPrincipal } from "#domain/identity/index.ts";
import {
  firstProject,
  getOrganization,
  openSetupLink,
  policyOf,
  useSetupLink,
  type Project,
} from "#domain/organizations/index.ts";
import { beginSession } from "#domain/people/index.ts";
import type { OperationContext } from "#http/index.ts";
import { endFormer, sendSession } from "../cookie.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

/** Returns the account of a set-up link, so that the owner sees the address for the sign-in. */
export function openSetUp({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"openSetUp"> {
  const misses = new FailureDelay(clock);
  return async (deps, { body }, { ip, reply }) => {
    void reply.header("cache-control", "no-store");
    return misses.countMisses(failurePlaceOf(ip), () => openSetupLink(deps, body.token));
  };
}

/**
 * The scopes that the first steps of the home page need: sending and querying telemetry, storing a file, pushing an
 * image.
 */
const FIRST_SCOPES: readonly Scope[] = [
  "telemetry:write",
  "telemetry:read",
  "files:write",
  "registry:pull",
  "registry:push",
];

/**
 * Sets the owner's name and password by the one-time link, signs them in, and creates a first credential, whose secret
 * is shown once.
 */
export function setUp({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"setUp"> {
  const misses = new FailureDelay(clock);
  return async (deps, { body }, context) => {
    const { ip, requestId } = context;
    const origin = originOf(context);
    const owner = await misses.countMisses(failurePlaceOf(ip), () => useSetupLink(deps, body, { ip, requestId }));
    const begun = await deps.metadata.write((tx) =>
      beginSession(deps.people, tx, owner.id, { method: "set_up", origin }),
    );
    const project = await firstProject(deps, owner.orgId);
    const credential = await firstCredential(deps, owner, project, { ip, requestId });
    await endFormer(deps.people, context, origin);
    await sendSession(deps.people, context, begun);
    return {
      organization: { id: owner.orgId, slug: owner.orgSlug },
      project: project === null ? null : { id: project.id, slug: project.slug },
      user: { id: owner.id, email: owner.email, name: body.name },
      credential,
      addresses: deps.addresses,
    };
  };
}

/** Creates a credential for the project. Null: the organization's policy forbids all of its scopes. */
async function firstCredential(
  deps: PortalSurfaceDeps,
  owner: PersonPrincipal,
  project: Project | null,
  origin: Pick<OperationContext, "ip" | "requestId">,
): Promise<ResultOf<typeof PORTAL_ROUTES.setUp>["credential"]> {
  const allowed = policyOf(await getOrganization(deps, owner.orgId)).allowed_scopes;
  const scopes = FIRST_SCOPES.filter((scope) => allowed?.includes(scope) ?? true);
  if (scopes.length === 0) return null;
  const input = { projectId: project?.id ?? null, name: "first credential", scopes };
  const { credential, clientSecret } = await deps.identity.credentials.create({ actor: owner, ...origin }, input);
  return { id: credential.id, client_id: credential.clientId, client_secret: clientSecret };
}
