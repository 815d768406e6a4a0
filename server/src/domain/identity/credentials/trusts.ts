import { kept } from "#domain/idempotency/index.ts";
import { reachOf, absent } from "#domain/identity/access/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import {
  deleteTrust,
  findTrust,
  insertTrust,
  listTrusts,
  patternFault,
  RESERVED_CLAIMS,
  type Check,
  type Federation,
  type Trust,
  type TrustRow,
} from "#domain/identity/federation/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";
import { creatorOf, requirePermission, type ActorContext } from "./actor.ts";
import { parseScopes } from "./bounds.ts";
import type { Credentials } from "./credentials.ts";
import { requireName } from "./input.ts";
import { KINDS } from "./kinds.ts";
import type { Propagation } from "./manage.ts";
import { spanOf, widenerOf } from "./span.ts";
import { requireMayWiden } from "./widening.ts";

export interface TrustsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, "change">;
  readonly federation: Pick<Federation, "explain">;
  readonly outbound: Pick<Outbound, "check">;
  /** This server's issuer: the audience of trusts that name no audience. */
  readonly issuer: string;
}

export interface NewTrust {
  readonly name: string;
  readonly issuer: string;
  readonly audience?: string;
  readonly subject: string;
  readonly claims?: Trust["claims"];
}

export interface TrustView extends Trust {
  readonly name: string;
  readonly credential: {
    readonly id: string;
    readonly clientId: string;
    readonly name: string;
    readonly projectId: string | null;
  };
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Rounded to the minute. */
  readonly lastUsedAtMs: number | null;
  /** `sub` of that use. */
  readonly lastSubject: string | null;
}

export interface TrustListing {
  readonly credentialId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** The most claims of one trust. A sign-in checks each of them. */
const CLAIMS_MAX = 10;
const TEXT_CHARS_MAX = 512;

/**
 * Management of trusts. Each operation is a change of its credential, so it is checked, audited and announced to all
 * nodes.
 */
export class Trusts {
  readonly #deps: TrustsDeps;

  constructor(deps: TrustsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a trust: matching tokens of the issuer replace the credential's secret. The caller must have all
   * permissions of the credential.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `conflict`
   */
  async create(acting: ActorContext, credentialId: string, input: NewTrust): Promise<TrustView> {
    const { clock, credentials } = this.#deps;
    const { name, issuer, subject, audience = this.#deps.issuer, claims = {} } = input;
    requireName(name);
    this.#requireUsable(input);
    const nowMs = clock.nowMs();
    const id = newId("trust", nowMs);
    let made: TrustView | undefined;
    await credentials.change(acting, credentialId, async (tx, context, held) => {
      if (KINDS[context.kind].ownedBy === "person")
        throw new Problem(
          "conflict",
          "A personal access token belongs to one person and can't trust an issuer. Create a credential for that.",
        );
      if (context.kind === "ingest")
        throw new Problem(
          "conflict",
          "An ingest key gets no tokens, so it can't trust an issuer. Create a credential.",
        );
      // A trust gives the credential to new programs, so it counts as widening an approved credential.
      const span = await spanOf(tx, context, nowMs);
      const wider = { scopes: parseScopes(context.scopes), secret: true, afterApproval: context.pending === 0, span };
      requireMayWiden(await widenerOf(tx, acting, context, held), wider);
      await enforceRecordLimit(this.#deps.metadata, tx, "trusts_max", credentialId);
      await insertTrust(tx, {
        id,
        org_id: context.org_id,
        credential_id: credentialId,
        project_id: context.project_id,
        name,
        issuer,
        audience,
        subject,
        claims: JSON.stringify(claims),
        created_by: creatorOf(acting.actor),
        created_at: nowMs,
        last_used_at: null,
        last_subject: null,
      });
      made = await kept(tx, viewOf(await this.#row(acting, id, tx)));
      return {
        epoch: context.epoch,
        action: "trust.create",
        detail: { trust: id, name, issuer, audience, subject, claims },
      };
    });
    if (made === undefined) throw new Error("cannot create the trust: the change did not run");
    return made;
  }

  /**
   * Returns a page of the trusts of credentials that the actor may see, newest first. Trusts of revoked credentials are
   * not included.
   */
  async list(
    acting: ActorContext,
    listing: TrustListing,
  ): Promise<{ items: TrustView[]; next: NonNullable<TrustListing["after"]> | null }> {
    const { actor } = acting;
    if (actor.kind === "system") throw absent();
    const reach = reachOf(actor, "credentials:read");
    const filter = { ...listing, orgId: actor.orgId, reach, limit: listing.limit + 1 };
    const rows = await listTrusts(this.#deps.metadata.read, filter);
    const page = rows.slice(0, listing.limit);
    const last = page.at(-1);
    const next = rows.length > page.length && last !== undefined ? { createdAtMs: last.created_at, id: last.id } : null;
    return { items: page.map(viewOf), next };
  }

  /**
   * Deletes a trust, and ends its tokens. Tokens from the credential's secret or its other trusts stay valid.
   * @throws Problem `not_found`, `insufficient_scope`
   */
  async delete(acting: ActorContext, id: string): Promise<Propagation> {
    const row = await this.#row(acting, id);
    const deleted: Parameters<Credentials["change"]>[2] = async (tx, context) => {
      await deleteTrust(tx, context.org_id, id);
      const { name, issuer, subject } = row;
      // The epoch stays the same. The trust's tokens name the trust, so nodes refuse them once they know that it is deleted.
      return { epoch: context.epoch, action: "trust.delete", detail: { trust: id, name, issuer, subject } };
    };
    return this.#deps.credentials.change(acting, row.credential_id, deleted, { narrows: true });
  }

  /** @throws Problem `not_found`, `insufficient_scope` */
  async get(acting: ActorContext, id: string): Promise<TrustView> {
    const row = await this.#row(acting, id);
    requirePermission(acting.actor, "credentials:read", resourceOf(row));
    return viewOf(row);
  }

  /**
   * Tests each condition of the trust against this token. Issues no token.
   * @throws Problem `not_found`, `insufficient_scope`
   */
  async test(
    acting: ActorContext,
    id: string,
    assertion: string,
  ): Promise<{ checks: Check[]; issuer: string | null; subject: string | null }> {
    const trust = await this.get(acting, id);
    const { checks, assertion: read } = await this.#deps.federation.explain(trust, assertion);
    return { checks, issuer: read?.issuer ?? null, subject: read?.subject ?? null };
  }

  async #row({ actor }: ActorContext, id: string, db: Reader = this.#deps.metadata.read): Promise<TrustRow> {
    const row = await findTrust(db, actor.orgId, id);
    if (row === undefined) throw absent();
    return row;
  }

  #requireUsable({ issuer, audience, subject, claims = {} }: NewTrust): void {
    const faults = [
      { pointer: "/issuer", detail: this.#issuerFault(issuer) },
      { pointer: "/audience", detail: audience === undefined ? undefined : textFault(audience) },
      { pointer: "/subject", detail: patternFault(subject) },
      ...Object.entries(claims).map(([name, value]) => ({
        pointer: `/claims/${escaped(name)}`,
        detail: claimFault(name, value),
      })),
    ];
    if (Object.keys(claims).length > CLAIMS_MAX)
      faults.push({ pointer: "/claims", detail: `must have at most ${CLAIMS_MAX} members` });
    const errors = faults.flatMap(({ pointer, detail }) => (detail === undefined ? [] : [{ pointer, detail }]));
    if (errors.length > 0) throw new Problem("invalid_body", "The trust is not valid.", { errors });
  }

  /** Checks the URL (OpenID Connect Discovery 1.0, section 2). It must have no query and no fragment. */
  #issuerFault(issuer: string): string | undefined {
    if (textFault(issuer) !== undefined) return textFault(issuer);
    if (/[?#]/.test(issuer)) return "must have no query and no fragment";
    if (issuer === this.#deps.issuer) return "must be another server, because this server's own tokens need no trust";
    try {
      this.#deps.outbound.check(issuer);
    } catch (error) {
      if (error instanceof OutboundError) return error.message.replace("the destination ", "");
      throw error;
    }
    return undefined;
  }
}

function textFault(text: string): string | undefined {
  return text.length > 0 && text.length <= TEXT_CHARS_MAX && !/[^\x21-\x7e]/.test(text)
    ? undefined
    : `must have 1 to ${TEXT_CHARS_MAX} ASCII characters, without spaces and control characters`;
}

function claimFault(name: string, value: unknown): string | undefined {
  if (RESERVED_CLAIMS.has(name)) return "has its own condition";
  if (name === "" || name.length > 100) return "must be a name of 1 to 100 characters";
  return typeof value === "string" && value.length > TEXT_CHARS_MAX
    ? `must have at most ${TEXT_CHARS_MAX} characters`
    : undefined;
}

/** Escapes a name (RFC 6901, section 3). */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function viewOf(row: TrustRow): TrustView {
  return {
    id: row.id,
    name: row.name,
    credential: {
      id: row.credential_id,
      clientId: row.client_id,
      name: row.credential_name,
      projectId: row.project_id,
    },
    issuer: row.issuer,
    audience: row.audience,
    subject: row.subject,
    claims: JSON.parse(row.claims) as Trust["claims"],
    createdBy: row.created_by,
    createdAtMs: row.created_at,
    lastUsedAtMs: row.last_used_at,
    lastSubject: row.last_subject,
  };
}
