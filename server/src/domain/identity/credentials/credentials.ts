import { explained, type PersonPrincipal } from "#domain/identity/access/index.ts";
import { kept } from "#domain/idempotency/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import type { ActorContext } from "./actor.ts";
import { parseScopes } from "./bounds.ts";
import type { CredentialsDeps } from "./common.ts";
import { create, type Creation } from "./create.ts";
import { hintOf, requireKnownScopes, requireOverlap, validated, type NewCredential } from "./input.ts";
import { KINDS, type Rows } from "./kinds.ts";
import { manage, type Managed, type Propagation } from "./manage.ts";
import { addSecret, retireSecrets } from "./secrets.ts";
import { spanOf, widenerOf } from "./span.ts";
import { CLIENT_SECRET_HASH } from "./sign-in.ts";
import { credentialOfSecret, findContext, updateRow } from "./store.ts";
import { viewOf, type Credential } from "./view.ts";
import { requireMayWiden } from "./widening.ts";

/** A new credential, with its secret if it has one. */
export interface Made {
  readonly credential: Credential;
  readonly clientSecret: string | null;
}

export type WithSecret = Made & { readonly clientSecret: string };

/** Management of credentials of programs, and of personal access tokens. */
export interface Credentials extends Managed<"credential"> {
  /**
   * Creates a credential with one secret, which is shown only now.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `limit_reached`
   */
  create(acting: ActorContext, input: NewCredential): Promise<WithSecret>;
  /**
   * Creates a credential without a secret. Programs sign in with tokens of issuers that it trusts, until a rotation
   * creates a secret.
   */
  createWithoutSecret(acting: ActorContext, input: NewCredential): Promise<Made>;
  /**
   * Creates a personal access token. It never has more permissions than its person, and ends when they leave. Every API
   * accepts it as an access token, and the registry as the password beside their e-mail address.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `limit_reached`
   */
  createPersonal(
    acting: ActorContext,
    person: PersonPrincipal,
    input: NewCredential,
  ): Promise<{ credential: Credential; token: string }>;
  /**
   * Creates a new secret, which is shown only now. The current secret stays valid for `overlapS` seconds. Older secrets
   * end. An overlap of 0 means that the secret leaked, so the issued tokens become void, too.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `conflict`
   */
  rotate(acting: ActorContext, id: string, options?: { overlapS?: number }): Promise<Propagation & WithSecret>;
  /** Returns the id of the credential or personal access token with this secret. */
  idOfSecret(secret: string): Promise<string | undefined>;
}

const ROTATION_OVERLAP_S_DEFAULT = 86_400;

export function createCredentials(deps: CredentialsDeps): Credentials {
  const managed = manage(deps, "credential");
  return {
    ...managed,
    create: async (acting, input) => {
      const clientSecret = newSecret(KINDS.app.secretPrefix);
      const { credential } = await createApp(deps, acting, input, clientSecret);
      return { credential, clientSecret };
    },
    createWithoutSecret: (acting, input) => createApp(deps, acting, input, null),
    createPersonal: (acting, person, input) => createPersonal(deps, acting, person, input),
    rotate: (acting, id, options = {}) => rotate(deps, managed, acting, { id, ...options }),
    idOfSecret: async (secret) => {
      for (const { hash } of deps.envelope.lookupHashes(CLIENT_SECRET_HASH, secret)) {
        const id = await credentialOfSecret(deps.metadata.read, hash.toString("hex"));
        if (id !== undefined) return id;
      }
      return undefined;
    },
  };
}

async function createApp(
  deps: CredentialsDeps,
  acting: ActorContext,
  input: NewCredential,
  secret: string | null,
): Promise<Made> {
  const { actor } = acting;
  const scopes = requireKnownScopes(input.scopes);
  const valid = validated(input);
  if (actor.kind === "credential" && actor.projectId !== null && input.projectId === null) {
    const detail = "A credential of a project can create credentials only in that project. Give its project_id.";
    const asked = { principal: actor, permission: "credentials:write", resource: { orgId: actor.orgId } } as const;
    throw explained(asked, new Problem("forbidden", detail));
  }
  const creation: Creation<"credential"> = {
    ...valid,
    ...credentialRow(deps, "app", secret),
    giver: actor,
    permission: "credentials:write",
    scopes,
    ...(secret === null ? { detail: { without_secret: true } } : {}),
  };
  return create(deps, acting, creation, (credential) => ({ credential, clientSecret: secret }));
}

async function createPersonal(
  deps: CredentialsDeps,
  acting: ActorContext,
  person: PersonPrincipal,
  input: NewCredential,
): Promise<{ credential: Credential; token: string }> {
  const scopes = requireKnownScopes(input.scopes);
  const token = newSecret(KINDS.personal.secretPrefix);
  const detail = { kind: "personal", person: person.id };
  const row = credentialRow(deps, "personal", token);
  const creation: Creation<"credential"> = { ...validated(input), ...row, giver: person, scopes, detail };
  return create(deps, acting, creation, (credential) => ({ credential, token }));
}

/** Returns the columns that only the table `credential` has. */
export function credentialRow(
  deps: CredentialsDeps,
  kind: Credential["kind"],
  secret: string | null,
  own: Pick<Rows["credential"], "origins" | "rate"> = { origins: null, rate: null },
): Pick<Creation<"credential">, "columns" | "kind" | "storeSecret"> {
  return {
    kind,
    columns: (_id, nowMs) => {
      const client_id = newId("cred", nowMs).replace("cred_", "mrc_");
      return { kind, client_id, epoch: 0, last_used_ip: null, ...own };
    },
    ...(secret === null ? {} : { storeSecret: (tx, id) => addSecret(deps, tx, id, secret) }),
  };
}

async function rotate(
  deps: CredentialsDeps,
  managed: Managed<"credential">,
  acting: ActorContext,
  { id, overlapS = ROTATION_OVERLAP_S_DEFAULT }: { id: string; overlapS?: number },
): Promise<Propagation & WithSecret> {
  requireOverlap(overlapS);
  let made: WithSecret | undefined;
  const propagation = await managed.change(acting, id, async (tx, context, held) => {
    if (KINDS[context.kind].ownedBy === "person")
      throw new Problem("conflict", "A personal access token can't be rotated. Create a new one, and revoke this one.");
    const clientSecret = newSecret(KINDS[context.kind].secretPrefix);
    // The new secret gives its owner all permissions of the credential, including those that return if its creator's
    // role is raised again.
    const span = await spanOf(tx, context, deps.clock.nowMs());
    const wider = { scopes: parseScopes(context.scopes), secret: true, span };
    requireMayWiden(await widenerOf(tx, acting, context, held), wider);
    await retireSecrets(deps, tx, id, overlapS);
    await addSecret(deps, tx, id, clientSecret);
    const epoch = context.epoch + (overlapS === 0 ? 1 : 0);
    if (overlapS === 0) await updateRow(tx, id, { epoch });
    const after = (await findContext(tx, "credential", { id })) ?? context;
    made = await kept(tx, { credential: await viewOf(tx, "credential", after, deps.clock.nowMs()), clientSecret });
    return { epoch, action: "credential.rotate", detail: { overlap_seconds: overlapS, hint: hintOf(clientSecret) } };
  });
  if (made === undefined) throw new Error("cannot rotate the credential: the change did not run");
  return { ...propagation, ...made };
}
