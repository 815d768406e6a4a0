import { absent } from "#domain/identity/access/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import type { ActorContext } from "./actor.ts";
import type { CredentialsDeps } from "./common.ts";
import { create, type Creation } from "./create.ts";
import { credentialRow, type Credentials, type WithSecret } from "./credentials.ts";
import {
  invalidPlace,
  validated,
  type CredentialChange,
  type CredentialListing,
  type NewCredential,
  type OwnChange,
} from "./input.ts";
import { KINDS, type AnyRow } from "./kinds.ts";
import type { Propagation, Revocation } from "./manage.ts";
import type { Plan } from "./effects.ts";
import { areWiderOrigins, requireOrigins } from "./origins.ts";
import { findContext } from "./store.ts";
import type { Credential } from "./view.ts";

/** The limits that only ingest keys have. */
interface OwnLimits {
  /** The origins of web pages that may use it. Null: no such limit. */
  readonly origins?: readonly string[] | null | undefined;
  /** The most requests on each node. Null: no such limit. */
  readonly requestsPerSecond?: number | null | undefined;
}

export type NewIngestKey = Omit<NewCredential, "scopes"> & OwnLimits;
export type IngestKeyChange = Pick<CredentialChange, "name" | "allowedAddresses" | "resources"> & OwnLimits;

/** `clientSecret`: the key, which is shown only now. */
export type MadeIngestKey = WithSecret;

/**
 * Management of ingest keys: credentials that only send telemetry. Programs send the key itself with each request. All other
 * operations of credentials also take ingest keys.
 */
export interface IngestKeys {
  /** @throws Problem `invalid_body`, `not_found` (the project), `insufficient_scope`, `forbidden`, `limit_reached` */
  create(acting: ActorContext, input: NewIngestKey): Promise<MadeIngestKey>;
  /** @throws Problem `not_found`, `insufficient_scope` */
  get(acting: ActorContext, id: string): Promise<Credential>;
  list(acting: ActorContext, listing: CredentialListing): ReturnType<Credentials["list"]>;
  /** @throws Problem as `Credentials.update` */
  update(
    acting: ActorContext,
    id: string,
    change: IngestKeyChange,
    ifMatch?: string,
  ): ReturnType<Credentials["update"]>;
  /** The current key stays valid for `overlapS` seconds. @throws Problem as `Credentials.rotate` */
  rotate(acting: ActorContext, id: string, options?: { overlapS?: number }): Promise<Propagation & MadeIngestKey>;
  revoke(acting: ActorContext, id: string, options?: Revocation): ReturnType<Credentials["revoke"]>;
  planRevocation(acting: ActorContext, id: string, options?: Revocation): Promise<Plan>;
}

export function createIngestKeys(deps: CredentialsDeps, credentials: Credentials): IngestKeys {
  /** The kind never changes, so the check needs no transaction. */
  const requireKey = async ({ actor }: ActorContext, id: string): Promise<void> => {
    const context = await findContext(deps.metadata.read, "credential", { id });
    if (context?.org_id !== actor.orgId || context.kind !== "ingest") throw absent();
  };
  return {
    create: (acting, input) => createKey(deps, acting, input),
    get: async (acting, id) => {
      await requireKey(acting, id);
      return credentials.get(acting, id);
    },
    list: (acting, listing) => credentials.list(acting, { ...listing, kind: "ingest" }),
    update: async (acting, id, { origins, requestsPerSecond, ...change }, ifMatch) => {
      await requireKey(acting, id);
      const own = ownChange({ origins, requestsPerSecond });
      return credentials.update(acting, id, { ...change, own }, ifMatch);
    },
    rotate: async (acting, id, options) => {
      await requireKey(acting, id);
      return credentials.rotate(acting, id, options);
    },
    revoke: async (acting, id, options) => {
      await requireKey(acting, id);
      return credentials.revoke(acting, id, options);
    },
    planRevocation: async (acting, id, options) => {
      await requireKey(acting, id);
      return credentials.planRevocation(acting, id, options);
    },
  };
}

async function createKey(deps: CredentialsDeps, acting: ActorContext, input: NewIngestKey): Promise<MadeIngestKey> {
  const { origins = null, requestsPerSecond = null } = input;
  const own = { origins: requireOrigins(origins), rate: requireRate(requestsPerSecond) };
  const key = newSecret(KINDS.ingest.secretPrefix);
  const creation: Creation<"credential"> = {
    ...validated(input),
    ...credentialRow(deps, "ingest", key, own),
    giver: acting.actor,
    permission: "credentials:write",
    scopes: new Set(KINDS.ingest.scopes),
    detail: { kind: "ingest", ...given(own) },
  };
  return create(deps, acting, creation, (credential) => ({ credential, clientSecret: key }));
}

/** Returns the limits that are set, for the audit log. */
function given(own: OwnChange["set"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
}

const RATE_MAX = 100_000;

function requireRate(rate: number | null): number | null {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= RATE_MAX)) return rate;
  throw invalidPlace("/requests_per_second", `must be a whole number from 1 to ${RATE_MAX}, or null for no such limit`);
}

/** @throws Problem `invalid_body` */
function ownChange({ origins, requestsPerSecond }: OwnLimits): (row: AnyRow) => OwnChange {
  const wanted = {
    ...(origins === undefined ? {} : { origins: requireOrigins(origins) }),
    ...(requestsPerSecond === undefined ? {} : { rate: requireRate(requestsPerSecond) }),
  };
  return ({ origins: from = null, rate: before = null }) => {
    const { origins: to = from, rate: after = before } = wanted;
    const isFaster = before !== null && (after === null || after > before);
    return { set: wanted, isWider: areWiderOrigins(from, to) || isFaster, detail: wanted };
  };
}
