import type { LeakKind, Scope } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import {
  auditActorOf,
  authorize,
  isAccessKeyId,
  type AnyCredential,
  type Identity,
  type Principal,
} from "#domain/identity/index.ts";
import { isSignInEnded, linkSecretOf, personPrincipal } from "#domain/organizations/index.ts";
import { personSecretOf } from "#domain/people/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { holderOfToken } from "#domain/registry/index.ts";
import { webhookOfToken } from "#domain/webhooks/index.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { kindOf, partOf } from "./kinds.ts";
import { nextCommands } from "./next.ts";

export interface LeaksDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly identity: Pick<Identity, "credentials" | "envelope" | "s3Keys" | "tokens">;
}

/** The owner of a secret, without the secret. */
export interface FoundSecret {
  readonly kind: LeakKind;
  readonly id: string;
  readonly name: string | null;
  readonly projectId: string | null;
  /** The person or credential behind it. */
  readonly responsible: AnyCredential["responsible"];
  /** What it can do now. Empty for links. */
  readonly scopes: readonly Scope[];
  readonly createdAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly lastUsedIp: string | null;
  /** Why it does not work. Null: it works. */
  readonly reason: string | null;
  /** The commands that end or replace it. */
  readonly next: readonly string[];
}

export interface Finding {
  /** The kind by the form of the text. Null: it has no form that this server uses. */
  readonly kind: LeakKind | null;
  /** Null: it is unknown, belongs to another organization, or to something that the caller may not see. */
  readonly found: FoundSecret | null;
}

interface Asking {
  readonly principal: Principal;
  readonly ip: string;
  readonly requestId: string;
}

/**
 * Finds the owner of a secret in the caller's organization. The secret is neither stored nor logged. The audit log has the
 * kind and the owner.
 */
export async function findLeak(deps: LeaksDeps, asking: Asking, text: string): Promise<Finding> {
  const secret = partOf(text);
  const kind = kindOf(secret);
  const owner = kind === null ? undefined : await FINDERS[kind](deps, asking, secret);
  const found = owner === undefined ? null : { ...owner, next: nextCommands(owner) };
  const { principal, ip, requestId } = asking;
  await deps.metadata.write((tx) =>
    appendAudit(deps, tx, {
      orgId: principal.orgId,
      actor: auditActorOf(principal),
      action: "leak.find",
      result: "success",
      ip,
      requestId,
      ...(found === null ? {} : { target: { kind: found.kind, id: found.id } }),
      detail: { kind, found: found !== null },
    }),
  );
  return { kind: found?.kind ?? kind, found };
}

type Owner = Omit<FoundSecret, "next">;
type Finder = (deps: LeaksDeps, asking: Asking, secret: string) => Promise<Owner | undefined>;

const ofPerson: Finder = async (deps, asking, text) => {
  const secret = await personSecretOf({ ...deps, envelope: deps.identity.envelope }, text);
  const { orgId } = asking.principal;
  if (secret === undefined || (secret.orgId !== null && secret.orgId !== orgId)) return undefined;
  // A credential of one project does not see the people of the organization.
  if (authorize(asking.principal, "org:read", { orgId }) !== "allowed") return undefined;
  const person = await personPrincipal(deps.metadata.read, orgId, secret.userId, deps.clock.nowMs());
  if (person === undefined) return undefined;
  const { kind, id, userId, createdAtMs, expiresAtMs, lastUsedAtMs, lastUsedIp } = secret;
  const hasEnded =
    SIGN_INS.has(kind) && (await isSignInEnded(deps.metadata.read, orgId, { userId, sinceMs: createdAtMs }));
  const reason = secret.reason ?? (hasEnded ? "the person's access was ended in this organization" : null);
  return {
    kind,
    id,
    name: secret.name,
    projectId: null,
    responsible: { kind: "person", id: person.id, name: person.email },
    scopes: [...person.scopes],
    createdAtMs,
    expiresAtMs,
    lastUsedAtMs,
    lastUsedIp,
    reason,
  };
};

/** The time of their creation is that of the sign-in. */
const SIGN_INS: ReadonlySet<LeakKind> = new Set(["session", "session_token", "login_token", "login_refresh_token"]);

const ofLink: Finder = async ({ metadata, clock }, { principal }, text) => {
  const link = await linkSecretOf(metadata.read, text, clock.nowMs());
  const isSeen = authorize(principal, "members:write", { orgId: principal.orgId }) === "allowed";
  if (link === undefined || link.orgId !== principal.orgId || !isSeen) return undefined;
  const { kind, id, name, createdBy, createdAtMs, expiresAtMs, reason } = link;
  const responsible = { kind: "person", id: createdBy, name: null } as const;
  return { kind, id, name, ...NO_RIGHTS, responsible, createdAtMs, expiresAtMs, reason };
};

const NO_RIGHTS = { projectId: null, scopes: [], lastUsedAtMs: null, lastUsedIp: null } as const;

const ofWebhook: Finder = async ({ metadata, clock, identity }, { principal }, text) => {
  const found = await webhookOfToken({ read: metadata.read, envelope: identity.envelope }, text);
  if (found === undefined || found.webhook.org_id !== principal.orgId) return undefined;
  const { webhook, url } = found;
  if (authorize(principal, "webhooks:read", resourceOf(webhook)) !== "allowed") return undefined;
  const hasEnded = url.expires_at !== null && url.expires_at <= clock.nowMs();
  return {
    ...NO_RIGHTS,
    kind: "webhook_url",
    id: webhook.id,
    name: webhook.name,
    projectId: webhook.project_id,
    responsible: { kind: "person", id: webhook.created_by, name: null },
    createdAtMs: url.created_at,
    expiresAtMs: url.expires_at,
    lastUsedAtMs: url.last_hit_at,
    reason: hasEnded ? "the address was rotated" : null,
  };
};

function ofCredential(kind: LeakKind, idOf: (deps: LeaksDeps, secret: string) => Promise<string | undefined>): Finder {
  return async (deps, { principal }, secret) => {
    const id = await idOf(deps, secret);
    if (id === undefined) return undefined;
    return seen(async () => {
      const view = await deps.identity.credentials.get({ actor: principal }, id);
      return credentialOwner(view.kind === "personal" ? "personal_token" : kind, view, view.lastUsedIp);
    });
  };
}

const ofKeySecret: Finder = async ({ identity: { s3Keys } }, { principal }, secret) => {
  const id = await s3Keys.keyOfSecret(principal.orgId, secret);
  if (id === undefined) return undefined;
  return seen(async () => credentialOwner("s3_secret", await s3Keys.get({ actor: principal }, id), null));
};

/** The former ID of a rotated key works until the overlap ends. */
const ofAccessKeyId: Finder = async ({ identity: { s3Keys } }, { principal }, accessKeyId) => {
  if (!isAccessKeyId(accessKeyId)) return undefined;
  return seen(async () => {
    const key = await s3Keys.get({ actor: principal }, accessKeyId);
    const owner = credentialOwner("s3_access_key", key, null);
    if (key.accessKeyId === accessKeyId) return owner;
    const { former } = key;
    if (former === null) return { ...owner, reason: owner.reason ?? "the key was rotated, and the overlap has ended" };
    return { ...owner, expiresAtMs: former.endsAtMs, lastUsedAtMs: former.lastUsedAtMs };
  });
};

function credentialOwner(kind: LeakKind, view: AnyCredential, lastUsedIp: string | null): Owner {
  const { id, name, projectId, responsible, effectiveScopes: scopes, createdAtMs, expiresAtMs, lastUsedAtMs } = view;
  const works = view.condition.name === "active" || view.condition.name === "reduced";
  const reason = works ? null : view.condition.reason;
  return { kind, id, name, projectId, responsible, scopes, createdAtMs, expiresAtMs, lastUsedAtMs, lastUsedIp, reason };
}

/** Something that the caller may not see counts as absent. */
async function seen(read: () => Promise<Owner>): Promise<Owner | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem && (error.code === "not_found" || error.code === "insufficient_scope"))
      return undefined;
    throw error;
  }
}

/** An access token, with the reason if it does not work. */
const ofAccessToken: Finder = async (deps, asking, token) => {
  const { verifier } = deps.identity.tokens;
  const claims = await verifier.claimsOf(token);
  if (claims === undefined || claims.org !== asking.principal.orgId) return undefined;
  const owner = await ofCredential("access_token", () => Promise.resolve(claims.sub))(deps, asking, token);
  if (owner === undefined) return undefined;
  const reason = await verifier.verify(token).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem && error.isCallers) return error.message;
      throw error;
    },
  );
  return { ...owner, kind: "access_token", createdAtMs: claims.iat * 1000, expiresAtMs: claims.exp * 1000, reason };
};

/** A token of the registry names its credential. */
const ofRegistryToken: Finder = async (deps, asking, token) => {
  const id = await holderOfToken(deps.identity.envelope, token);
  const owner =
    id === undefined ? undefined : await ofCredential("registry_token", () => Promise.resolve(id))(deps, asking, token);
  return owner === undefined ? undefined : { ...owner, kind: "registry_token" };
};

const bySecret = (deps: LeaksDeps, secret: string): Promise<string | undefined> =>
  (["mrcs", "mrpat", "mrik"] as const).some((prefix) => isWellFormedSecret(prefix, secret))
    ? deps.identity.credentials.idOfSecret(secret)
    : Promise.resolve(undefined);

/** The secret belongs to no organization. */
const ofNobody: Finder = () => Promise.resolve(undefined);

const FINDERS: Readonly<Record<LeakKind, Finder>> = {
  client_secret: ofCredential("client_secret", bySecret),
  personal_token: ofCredential("personal_token", bySecret),
  ingest_key: ofCredential("ingest_key", bySecret),
  access_token: ofAccessToken,
  registry_token: ofRegistryToken,
  s3_access_key: ofAccessKeyId,
  s3_secret: ofKeySecret,
  webhook_url: ofWebhook,
  invitation: ofLink,
  setup_link: ofLink,
  reset_link: ofPerson,
  session: ofPerson,
  session_token: ofPerson,
  login_token: ofPerson,
  login_refresh_token: ofPerson,
  login_code: ofPerson,
  operator_token: ofNobody,
};
