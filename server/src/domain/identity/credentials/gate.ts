import { requireNothingLacking } from "#domain/identity/access/index.ts";
import { organizationAllows } from "@mooring/contract";
import { requireOrganizationAllows, type Suspension } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { RefusedActor } from "#kernel/refusal.ts";
import type { AddressTest } from "./addresses.ts";
import type { RefusalLog } from "./refusals.ts";
import type { CredentialState } from "./states.ts";

/** The address and the id of a request. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

export interface Gate {
  /**
   * Checks whether the credential may be used. Call it after the client has sent a valid secret, assertion or token.
   * Refusals go into the audit log.
   * @throws Problem `organization_blocked`, `approval_pending`, `address_not_allowed`, `second_factor_required`, `provider_sign_in_required`
   */
  require(state: CredentialState, origin: Origin | undefined): void;
}

/** Returns the actor of a refusal that comes before the request has a principal. */
export function refusedActorOf({ id, orgId, ownerId }: CredentialState): RefusedActor {
  if (ownerId !== null) return { kind: "person", id: ownerId, orgId, tokenId: id };
  return { kind: id.startsWith("key_") ? "key" : "credential", id, orgId };
}

export function createGate(refusals: Pick<RefusalLog, "record">): Gate {
  return {
    require: (state, origin) => {
      const { isPending, lacking, allows, organization } = state;
      const isBlocked = !organizationAllows(organization.state, "sign_in");
      const isAllowed = allows === null || allows(origin?.ip);
      if (!isBlocked && !isPending && lacking === null && isAllowed) return;
      const elsewhere = isAllowed ? (lacking ?? "") : "address not allowed";
      const refused = isPending ? "approval pending" : elsewhere.replaceAll("_", " ");
      const reason = isBlocked ? "organization blocked" : refused;
      refusals.record({
        orgId: state.orgId,
        credentialId: state.id,
        signedIn: true,
        clientId: state.clientId,
        reason,
        ip: origin?.ip ?? null,
        requestId: origin?.requestId ?? null,
      });
      try {
        requireUsable(state, origin?.ip);
        requireNothingLacking(lacking);
      } catch (error) {
        if (error instanceof Problem) error.options.facts = () => ({ actor: refusedActorOf(state) });
        throw error;
      }
    },
  };
}

/**
 * Makes the same check for a service with a separate audit log.
 * @throws Problem `organization_blocked`, `approval_pending`, `address_not_allowed`
 */
export function requireUsable(
  {
    isPending,
    allows,
    organization,
  }: { readonly isPending: boolean; readonly allows: AddressTest | null; readonly organization: Suspension },
  ip: string | null | undefined,
): void {
  requireOrganizationAllows(organization, "sign_in");
  if (isPending)
    throw new Problem(
      "approval_pending",
      "It waits for an approval. Ask an administrator of the organization for it.",
      { decidedBy: "approval" },
    );
  if (allows === null || allows(ip)) return;
  throw new Problem(
    "address_not_allowed",
    `It may not be used from ${ip ?? "an unknown address"}, because that is not an allowed address of the credential or of the organization.`,
    { decidedBy: "address" },
  );
}
