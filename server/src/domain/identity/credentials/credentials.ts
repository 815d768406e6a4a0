import type { Scope } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { kept } from "#domain/idempotency/index.ts";
import { reachOf, type PersonPrincipal, type Reach, type Resource, absent } from "#domain/identity/access/index.ts";
import { appendAuthChange, type ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Envelope } from "#domain/identity/keys/index.ts";
import { projectByName, resourceOf } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { auditActorOf, creatorOf, holdingsOf, isOwn, requirePermission, type Acting } from "./acting.ts";
import { parseAddresses, renderAddresses, requireAddresses } from "./addresses.ts";
import { APPROVER_SCOPE, endOf, pendingOf } from "./approval.ts";
import { parsePolicy, parseScopes, renderScopes, type Policy } from "./bounds.ts";
import {
  hintOf,
  requireKnownScopes,
  requireName,
  requireOverlap,
  requireUsableByPeople,
  type CredentialChange,
  type CredentialListing,
  type NewCredential,
} from "./input.ts";
import { requireRoomFor } from "./room.ts";
import { addSecret, retireSecrets } from "./secrets.ts";
import { readCreators, requireDepth } from "./states.ts";
import {
  contextsOf,
  findContext,
  findOrganization,
  insertCredential,
  listCredentialIds,
  revokeCredentialRow,
  secretsOf,
  updateCredential,
  type CredentialContext,
} from "./store.ts";
import { versionOf, viewOf, type Credential, type Made, type Propagation } from "./view.ts";
import { spanOf, widenerOf } from "./span.ts";
import { isWiderRange, requireMayWiden, UNBOUNDED } from "./widening.ts";

export interface CredentialsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly feed: ChangeFeed;
}

const ROTATION_OVERLAP_S_DEFAULT = 86_400;
const NOTHING: Reach = { organization: false, visibleProjects: false, projectIds: [], exceptStates: [] };

/** Management of credentials, for the API and the command line: every act is checked, audited and told to all nodes. */
export class Credentials {
  readonly #deps: CredentialsDeps;

  constructor(deps: CredentialsDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a credential with one secret, which is returned this once.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`
   */
  async create(acting: Acting, input: NewCredential): Promise<{ credential: Credential; clientSecret: string }> {
    const clientSecret = newSecret("mrcs");
    const { credential } = await this.#make(acting, input, clientSecret);
    return { credential, clientSecret };
  }

  /** The same with no secret: only tokens of issuers that it trusts sign in as it, until a rotation makes one. */
  async createWithoutSecret(acting: Acting, input: NewCredential): Promise<Made> {
    return this.#make(acting, input, null);
  }

  #make(acting: Acting, input: NewCredential, secret: string | null): Promise<Made> {
    const made = { kind: "app", createdBy: creatorOf(acting.actor), secret } as const;
    return this.#insert(acting, input, made, (tx, scopes) =>
      this.#requireMayCreate(tx, acting, input.projectId, scopes),
    );
  }

  /**
   * Makes a personal access token: a credential that is never more than what its person may do, and ends when they leave. It is
   * shown together with their e-mail address, to services that take people.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`
   */
  async createPersonal(
    acting: Acting,
    person: PersonPrincipal,
    input: NewCredential,
  ): Promise<{ credential: Credential; token: string }> {
    requireKnownScopes(input.scopes);
    requireUsableByPeople(input.scopes);
    const made = { kind: "personal", createdBy: person.id, secret: newSecret("mrpat") } as const;
    const { credential } = await this.#insert(acting, input, made, async (tx, scopes) => {
      const place = await this.#holdings(tx, person, input.projectId);
      requireMayWiden({ actor: person, ...place, span: UNBOUNDED }, { scopes, raised: [...scopes], secret: true });
      return place;
    });
    return { credential, token: made.secret };
  }

  async #insert(
    acting: Acting,
    input: NewCredential,
    made: { readonly kind: Credential["kind"]; readonly createdBy: string; readonly secret: string | null },
    requireMay: (tx: Writer, scopes: ReadonlySet<Scope>) => Promise<{ policy: Policy; resource: Resource }>,
  ): Promise<Made> {
    const { metadata, clock } = this.#deps;
    const scopes = requireKnownScopes(input.scopes);
    requireName(input.name);
    const addresses = renderAddresses(requireAddresses(input.allowedAddresses ?? null));
    const id = newId("cred", clock.nowMs());
    return metadata.write(async (tx) => {
      const { policy, resource } = await requireMay(tx, scopes);
      const nowMs = clock.nowMs();
      const expiresAtMs = endOf(policy, input.expiresAtMs ?? null, nowMs);
      const pending = pendingOf(policy, acting.actor, resource);
      await requireRoomFor(this.#deps, tx, { ...made, orgId: acting.actor.orgId });
      await insertCredential(tx, {
        id,
        kind: made.kind,
        client_id: newId("cred", nowMs).replace("cred_", "mrc_"),
        org_id: acting.actor.orgId,
        project_id: input.projectId,
        name: input.name,
        scopes: renderScopes(scopes),
        created_by: made.createdBy,
        created_at: nowMs,
        expires_at: expiresAtMs,
        revoked_at: null,
        epoch: 0,
        last_used_at: null,
        last_used_ip: null,
        allowed_addresses: addresses,
        pending,
      });
      if (made.secret !== null) await addSecret(this.#deps, tx, id, made.secret);
      const detail = {
        ...(made.kind === "personal" ? { kind: made.kind, person: made.createdBy } : {}),
        ...(made.secret === null ? { without_secret: true } : {}),
        name: input.name,
        scopes: renderScopes(scopes),
        project_id: input.projectId,
        expires_at: expiresAtMs,
        allowed_addresses: addresses,
        ...(pending === 1 ? { pending: true } : {}),
      };
      await this.#audit(tx, acting, "credential.create", id, detail);
      return kept(tx, { credential: await this.#view(id, tx), clientSecret: made.secret });
    });
  }

  /** @throws Problem `not_found`, `insufficient_scope` */
  async get(acting: Acting, id: string): Promise<Credential> {
    const context = await this.#find(this.#deps.metadata.read, acting, id);
    requirePermission(acting.actor, "credentials:read", resourceOf(context));
    return this.#viewOf(context);
  }

  /** A page of the credentials that the actor may see, newest first. */
  async list(
    acting: Acting,
    listing: CredentialListing,
  ): Promise<{ items: Credential[]; next: CredentialListing["after"] | null }> {
    const { metadata } = this.#deps;
    const { actor } = acting;
    const rows = await listCredentialIds(metadata.read, {
      orgId: actor.orgId,
      reach: actor.kind === "system" ? NOTHING : reachOf(actor, "credentials:read"),
      everything: actor.kind === "system",
      projectId: listing.projectId,
      includeRevoked: listing.includeRevoked ?? false,
      after: listing.after,
      limit: listing.limit + 1,
    });
    const page = rows.slice(0, listing.limit);
    const contexts = new Map(
      (
        await contextsOf(
          metadata.read,
          page.map((row) => row.id),
        )
      ).map((row) => [row.id, row]),
    );
    const items: Credential[] = [];
    for (const { id } of page) {
      const context = contexts.get(id);
      if (context !== undefined) items.push(await this.#viewOf(context));
    }
    const last = page.at(-1);
    return {
      items,
      next: rows.length > page.length && last !== undefined ? { createdAtMs: last.created_at, id: last.id } : null,
    };
  }

  /**
   * Renames, raises or lowers. Lowering makes the tokens already issued void.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `conflict`, `concurrent_update`
   */
  async update(
    acting: Acting,
    id: string,
    change: CredentialChange,
    ifMatch?: string,
  ): Promise<Propagation & { credential: Credential }> {
    const asked = change.scopes === undefined ? undefined : requireKnownScopes(change.scopes);
    if (change.name !== undefined) requireName(change.name);
    const { allowedAddresses: texts } = change;
    const wanted = texts === undefined ? undefined : renderAddresses(requireAddresses(texts));
    const expected = await expectedOf(ifMatch, async () =>
      versionOf(await this.#find(this.#deps.metadata.read, acting, id)),
    );
    const propagation = await this.change(acting, id, async (tx, context, held) => {
      requireMatch(expected, versionOf(context));
      const present = parseScopes(context.scopes);
      const scopes = asked ?? present;
      const raised = [...scopes].filter((scope) => !present.has(scope));
      const lowered = [...present].filter((scope) => !scopes.has(scope));
      const addresses = wanted === undefined ? context.allowed_addresses : wanted;
      const isElsewhere = isWiderRange(parseAddresses(context.allowed_addresses), parseAddresses(addresses));
      const span = await spanOf(tx, { ...context, allowed_addresses: addresses });
      const wider = { scopes, raised, addresses: isElsewhere, afterApproval: true, span };
      requireMayWiden(await widenerOf(tx, acting, context, held), wider);
      const epoch = context.epoch + (lowered.length > 0 ? 1 : 0);
      const name = change.name ?? context.name;
      await updateCredential(tx, id, { name, scopes: renderScopes(scopes), allowed_addresses: addresses, epoch });
      const moved = wanted === undefined ? {} : { before: context.allowed_addresses, allowed_addresses: addresses };
      const detail = { name: change.name, raised: raised.join(" "), lowered: lowered.join(" "), ...moved };
      return { epoch, action: "credential.update", detail };
    });
    return { ...propagation, credential: await this.#view(id) };
  }

  /**
   * Lets a credential be used that waited for it. To refuse it, revoke it.
   * @throws Problem `not_found`, `insufficient_scope`, `conflict`
   */
  async approve(acting: Acting, id: string): Promise<Credential> {
    await this.change(acting, id, async (tx, context, held) => {
      requirePermission(acting.actor, APPROVER_SCOPE, resourceOf(context));
      const wider = { scopes: parseScopes(context.scopes), approval: true };
      requireMayWiden(await widenerOf(tx, acting, context, held), wider);
      if (context.pending === 0) throw new Problem("conflict", "The credential waits for no approval.");
      await updateCredential(tx, id, { pending: 0 });
      const { name, scopes, allowed_addresses } = context;
      return { epoch: context.epoch, action: "credential.approve", detail: { name, scopes, allowed_addresses } };
    });
    return this.#view(id);
  }

  /**
   * Makes a new secret, returned this once. The present one is accepted for `overlapS` more, an older one no longer;
   * with 0 the tokens already issued are void as well, since then the secret is taken to have leaked.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `conflict`
   */
  async rotate(
    acting: Acting,
    id: string,
    options: { overlapS?: number } = {},
  ): Promise<Propagation & { credential: Credential; clientSecret: string }> {
    const overlapS = options.overlapS ?? ROTATION_OVERLAP_S_DEFAULT;
    requireOverlap(overlapS);
    const clientSecret = newSecret("mrcs");
    let made: { credential: Credential; clientSecret: string } | undefined;
    const propagation = await this.change(acting, id, async (tx, context, held) => {
      if (context.kind === "personal")
        throw new Problem("conflict", "A personal access token has no other secret; make a new one, and revoke this.");
      // Who gets the secret gets what the credential may do, now and when its creator's role is raised again.
      const wider = { scopes: parseScopes(context.scopes), secret: true, span: await spanOf(tx, context) };
      requireMayWiden(await widenerOf(tx, acting, context, held), wider);
      await retireSecrets(this.#deps, tx, id, overlapS);
      await addSecret(this.#deps, tx, id, clientSecret);
      const epoch = context.epoch + (overlapS === 0 ? 1 : 0);
      if (overlapS === 0) await updateCredential(tx, id, { epoch });
      made = await kept(tx, { credential: await this.#view(id, tx), clientSecret });
      return { epoch, action: "credential.rotate", detail: { overlap_seconds: overlapS, hint: hintOf(clientSecret) } };
    });
    if (made === undefined) throw new Error("cannot rotate the credential: the change did not run");
    return { ...propagation, ...made };
  }

  /**
   * Ends the credential and all its tokens. Resolves when every live node has applied it; doing it again changes nothing.
   * @throws Problem `not_found`, `insufficient_scope`
   */
  async revoke(acting: Acting, id: string): Promise<Propagation & { revokedAtMs: number }> {
    const { metadata, clock, feed } = this.#deps;
    const { seq, revokedAtMs } = await metadata.write(async (tx) => {
      await metadata.lock(tx, `credential:${id}`);
      const context = await this.#find(tx, acting, id);
      if (!isOwn(acting.actor, context)) requirePermission(acting.actor, "credentials:write", resourceOf(context));
      const revokedNowMs = context.revoked_at ?? clock.nowMs();
      const epoch = context.epoch + 1;
      if (context.revoked_at === null) await revokeCredentialRow(tx, id, { atMs: revokedNowMs, epoch });
      // Told again when it was revoked before, so that this answer too is about every node.
      const number = await appendAuthChange(this.#deps, tx, { kind: "credential", subject: id, epoch });
      if (context.revoked_at === null) await this.#audit(tx, acting, "credential.revoke", id, { name: context.name });
      return { seq: number, revokedAtMs: revokedNowMs };
    });
    await feed.sync();
    return { revokedAtMs, propagated: await feed.propagate(seq) };
  }

  /**
   * One change of a live credential, serialised with others of the same, audited and told to all nodes. `held`: what the actor
   * holds where the credential reaches.
   * @throws Problem `not_found`, `insufficient_scope`, `conflict`, and what `work` throws
   */
  async change(
    acting: Acting,
    id: string,
    work: (
      tx: Writer,
      context: CredentialContext,
      held: ReadonlySet<Scope>,
    ) => Promise<{ epoch: number; action: string; detail: Record<string, unknown> }>,
  ): Promise<Propagation> {
    const { metadata, feed } = this.#deps;
    const seq = await metadata.write(async (tx) => {
      await metadata.lock(tx, `credential:${id}`);
      const context = await this.#find(tx, acting, id);
      const held = requirePermission(acting.actor, "credentials:write", resourceOf(context));
      if (context.revoked_at !== null) throw new Problem("conflict", "The credential is revoked; create another one.");
      const { epoch, action, detail } = await work(tx, context, held);
      const number = await appendAuthChange(this.#deps, tx, { kind: "credential", subject: id, epoch });
      await this.#audit(tx, acting, action, id, detail);
      return number;
    });
    await feed.sync();
    return { propagated: await feed.propagate(seq) };
  }

  async #requireMayCreate(tx: Writer, acting: Acting, projectId: string | null, scopes: ReadonlySet<Scope>) {
    const { actor } = acting;
    if (actor.kind === "credential" && actor.projectId !== null && projectId === null) {
      throw new Problem(
        "forbidden",
        "A credential of a project can only create credentials of that project; give its project_id.",
      );
    }
    const place = await this.#holdings(tx, actor, projectId, "credentials:write");
    requireMayWiden({ actor, ...place, span: UNBOUNDED }, { scopes, raised: [...scopes], secret: true });
    if (actor.kind === "credential") await requireDepth(tx, actor.id);
    return place;
  }

  /** What the actor holds in the organization or its project, and the organization's policy. @throws Problem `not_found`, `insufficient_scope` */
  async #holdings(tx: Writer, actor: Acting["actor"], projectId: string | null, permission?: Scope) {
    const organization = await findOrganization(tx, actor.orgId);
    if (organization === undefined) throw absent();
    const project = projectId === null ? undefined : await projectByName(tx, actor.orgId, projectId);
    if (projectId !== null && project === undefined) throw absent();
    const resource = { orgId: actor.orgId, ...(project === undefined ? {} : { project }) };
    const held =
      permission === undefined ? holdingsOf(actor, resource) : requirePermission(actor, permission, resource);
    return { policy: parsePolicy(organization.policy), held, resource };
  }

  async #find(db: Reader, acting: Acting, id: string): Promise<CredentialContext> {
    const context = await findContext(db, { id });
    if (context === undefined || context.org_id !== acting.actor.orgId) throw absent();
    return context;
  }

  async #view(id: string, db: Reader = this.#deps.metadata.read): Promise<Credential> {
    const context = await findContext(db, { id });
    if (context === undefined) throw absent();
    return this.#viewOf(context, db);
  }

  async #viewOf(context: CredentialContext, db: Reader = this.#deps.metadata.read): Promise<Credential> {
    const secrets = await secretsOf(db, context.id);
    return viewOf(context, await readCreators({ read: db }, context), secrets, this.#deps.clock.nowMs());
  }

  async #audit(tx: Writer, acting: Acting, action: string, id: string, detail: Record<string, unknown>): Promise<void> {
    const { actor, ip = null, requestId = null } = acting;
    const target = { kind: "credential", id };
    await appendAudit(this.#deps, tx, {
      orgId: actor.orgId,
      actor: auditActorOf(actor),
      action,
      target,
      result: "success",
      ip,
      requestId,
      detail,
    });
  }
}
