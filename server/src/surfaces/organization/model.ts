import {
  forStates,
  S3_KEY_SCOPES,
  type ActivityService,
  type ORGANIZATION_ROUTES,
  type ResultOf,
  type Scope,
} from "@mooring/contract";
import type { AuditRow, AuditVerdict, SignedCheckpoint, Cut } from "#domain/audit/index.ts";
import type {
  AnyCredential,
  Credential,
  CredentialActivity,
  NamedResources,
  ProjectRights,
  S3Key,
  TrustView,
} from "#domain/identity/index.ts";
import {
  memberVersion,
  groupMemberVersion,
  projectGroupVersion,
  policyOf,
  roleVersion,
  scopesOfCustom,
  statusOf,
  type App,
  type CustomRole,
  type Ending,
  type Group,
  type GroupMember,
  type Invitation,
  type Member,
  type Organization,
  type Page,
  type Project,
  type ProjectGroup,
  type ProjectMember,
} from "#domain/organizations/index.ts";
import type { Destination } from "#domain/s3/index.ts";
import { suspensionFields } from "#domain/suspension/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import { parseExact } from "#kernel/json-text.ts";
import { hasPassed, isoFromMs } from "#kernel/time.ts";

/** Converts records to the contract's form. */

type Rows = typeof ORGANIZATION_ROUTES;
export type OrganizationBody = ResultOf<Rows["getOrganization"]>;
export type ProjectBody = ResultOf<Rows["getProject"]>;
type OwnProjectBody = ResultOf<Rows["getMe"]>["projects"][number];
export type ProjectMemberBody = ResultOf<Rows["putProjectMember"]>;
export type AppBody = ResultOf<Rows["getApp"]>;
export type MemberBody = ResultOf<Rows["updateMember"]>;
export type InvitationBody = ResultOf<Rows["listInvitations"]>["items"][number];
export type AuditBody = ResultOf<Rows["listAudit"]>["items"][number];
export type CredentialBody = ResultOf<Rows["getCredential"]>;

export function organizationBody(organization: Organization): OrganizationBody {
  return {
    id: organization.id,
    slug: organization.slug,
    name: organization.name,
    token_lifetime_s: organization.token_lifetime_s,
    policy: policyOf(organization),
    created_at: isoFromMs(organization.created_at),
    ...suspensionFields(organization),
  };
}

export function projectBody(project: Project): ProjectBody {
  const { id, slug, name, visibility, environment } = project;
  const times = forStates("_at", (state) => (state === project.state ? isoOrNull(project.state_since) : null));
  const lock = { deletion_lock: project.deletion_lock === 1 };
  return { id, slug, name, visibility, environment, ...times, ...lock, created_at: isoFromMs(project.created_at) };
}

/** Returns a project of the calling principal, with its role there. */
export function ownProjectBody(
  project: Project,
  rights: ProjectRights | undefined,
  scopes: Iterable<Scope>,
): OwnProjectBody {
  const { id, slug, name, visibility, environment } = project;
  const states = forStates("", (state) => state === project.state);
  const role = { role: rights?.role ?? null, custom_role: rights?.customRole ?? null };
  return { id, slug, name, visibility, environment, ...states, ...role, scopes: [...scopes] };
}

export function projectMemberBody(member: ProjectMember): ProjectMemberBody {
  const { user_id, email, name, role, created_at, expires_at, entered_at: at, entered_reason: reason } = member;
  const entered = at === null || reason === null ? null : { at: isoFromMs(at), reason };
  const times = { created_at: isoFromMs(created_at), expires_at: isoOrNull(expires_at) };
  return {
    user_id,
    email,
    name,
    role,
    custom_role: member.custom_slug,
    ...times,
    entered,
    etag: etagOf(memberVersion(member)),
  };
}

export function appBody(app: App, orgSlug: string): AppBody {
  return {
    id: app.id,
    slug: app.slug,
    name: app.name,
    project_id: app.project_id,
    project_slug: app.project_slug,
    repository: `orgs/${orgSlug}/${app.slug}`,
    bucket: app.slug,
    created_at: isoFromMs(app.created_at),
  };
}

export function memberBody(member: Member): MemberBody {
  const { user_id, email, name, role, last_seen_at: seenMs } = member;
  return {
    user_id,
    email,
    name,
    role,
    custom_role: member.custom_slug,
    created_at: isoFromMs(member.created_at),
    expires_at: isoOrNull(member.expires_at),
    last_seen_at: seenMs === null ? null : isoFromMs(seenMs),
    second_factor: member.totp + member.passkeys > 0,
    etag: etagOf(memberVersion(member)),
  };
}

export function invitationBody(invitation: Invitation, nowMs: number): InvitationBody {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    custom_role: invitation.custom_slug,
    status: statusOf(invitation, nowMs),
    invited_by: invitation.invited_by,
    created_at: isoFromMs(invitation.created_at),
    expires_at: isoFromMs(invitation.expires_at),
    membership_expires_at: isoOrNull(invitation.membership_expires_at),
    email_sent_at: invitation.email_sent_at === null ? null : isoFromMs(invitation.email_sent_at),
    email_failure: invitation.email_failure,
  };
}

export function groupBody({ id, slug, name, claim, members, created_at }: Group): ResultOf<Rows["getGroup"]> {
  return { id, slug, name, claim, members: Number(members), created_at: isoFromMs(created_at) };
}

export function roleBody(role: CustomRole): ResultOf<Rows["getRole"]> {
  const { id, slug, name, kind, uses, created_at } = role;
  return {
    id,
    slug,
    name,
    kind,
    scopes: scopesOfCustom(role),
    uses,
    created_at: isoFromMs(created_at),
    etag: etagOf(roleVersion(role)),
  };
}

export function groupMemberBody(member: GroupMember): ResultOf<Rows["putGroupMember"]> {
  const { user_id, email, name, source, created_at, expires_at } = member;
  const times = { created_at: isoFromMs(created_at), expires_at: isoOrNull(expires_at) };
  return { user_id, email, name, source, ...times, etag: etagOf(groupMemberVersion(member)) };
}

export function projectGroupBody(group: ProjectGroup): ResultOf<Rows["putProjectGroup"]> {
  const { group_id, slug, name, role, created_at, expires_at } = group;
  const times = { created_at: isoFromMs(created_at), expires_at: isoOrNull(expires_at) };
  return {
    group_id,
    slug,
    name,
    role,
    custom_role: group.custom_slug,
    ...times,
    etag: etagOf(projectGroupVersion(group)),
  };
}

export function endingBody(ending: Ending, nowMs: number): ResultOf<Rows["listEndings"]>["items"][number] {
  const { kind, userId: user_id, email, name, role, project, invitationId: invitation_id, endsAtMs } = ending;
  const expires_at = isoFromMs(endsAtMs);
  return { kind, user_id, email, name, role, project, invitation_id, expires_at, ended: hasPassed(endsAtMs, nowMs) };
}

export function auditBody(row: AuditRow): AuditBody {
  return {
    id: row.id,
    seq: row.seq,
    at: isoFromMs(row.at),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    target: row.target_kind === null || row.target_id === null ? null : { kind: row.target_kind, id: row.target_id },
    result: row.result,
    ip: row.ip,
    request_id: row.request_id,
    detail: parseExact(row.detail) as Record<string, unknown>,
    prev_hash: row.prev_hash,
    hash: row.hash,
  };
}

export function verificationBody(
  verdict: AuditVerdict,
  signed: SignedCheckpoint | null,
): ResultOf<Rows["verifyAudit"]> {
  if (verdict.ok) {
    const declared = verdict.declared.map(({ fault, atMs, ...rest }) => ({
      kind: fault,
      ...rest,
      at: isoFromMs(atMs),
    }));
    const { entries, headHash: head_hash, erased, cut } = verdict;
    const checkpoint = signed === null ? null : { ...signed, keys: [...signed.keys] };
    const rest = { declared, erased, cut: cut === null ? null : cutBody(cut), checkpoint };
    return { ok: true, entries, head_hash, fault: null, ...rest };
  }
  const { fault: kind, seq, detail, entries } = verdict;
  const fault = { kind, seq, detail };
  return { ok: false, entries, head_hash: null, fault, declared: [], erased: 0, cut: null, checkpoint: null };
}

function cutBody({ fromSeq, toSeq, total, hash, kid, entry, atMs }: Cut) {
  return { from: fromSeq, to: toSeq, deleted: total, hash, key_id: kid, entry, at: isoFromMs(atMs) };
}

export function pageBody<T, B>(page: Page<T>, bodyOf: (item: T) => B): { items: B[]; next_cursor: string | null } {
  return { items: page.items.map(bodyOf), next_cursor: page.nextCursor };
}

/** Sends the record's version as `ETag`, for `If-Match`. */
export function versioned<T>(context: OperationContext, record: object, body: T): T {
  return tagged(context, etagOf(record), body);
}

export function tagged<T>(context: OperationContext, etag: string, body: T): T {
  void context.reply.header("etag", etag);
  return body;
}

/** Returns the members that all kinds of credentials have. */
function anyCredentialBody(credential: AnyCredential) {
  const { orgId, name, projectId, createdBy, isPending, allowedAddresses, responsible, condition } = credential;
  return {
    name,
    project_id: projectId,
    created_by: createdBy,
    created_at: isoFromMs(credential.createdAtMs),
    belongs_to:
      projectId === null
        ? ({ kind: "organization", id: orgId } as const)
        : ({ kind: "project", id: projectId } as const),
    responsible: { ...responsible },
    responsible_since: isoFromMs(credential.responsibleSinceMs),
    state: condition.name,
    state_reason: condition.reason,
    expires_at: isoOrNull(credential.expiresAtMs),
    revoked_at: isoOrNull(credential.revokedAtMs),
    pending: isPending,
    allowed_addresses: allowedAddresses === null ? null : [...allowedAddresses],
    resources: resourcesBody(credential.resources),
    last_used_at: isoOrNull(credential.lastUsedAtMs),
  };
}

/** Returns the resources of a credential. The body of a key has only buckets, and a key has no others. */
export function resourcesBody(resources: NamedResources | null) {
  if (resources === null) return null;
  const { repositories, buckets, webhooks, services } = resources;
  return {
    ...(repositories === undefined ? {} : { repositories: [...repositories] }),
    ...(buckets === undefined ? {} : { buckets: buckets.map(({ name, prefix = "" }) => ({ name, prefix })) }),
    ...(webhooks === undefined ? {} : { webhooks: [...webhooks] }),
    ...(services === undefined ? {} : { services: [...services] }),
  };
}

export function credentialBody(credential: Credential): CredentialBody {
  return {
    id: credential.id,
    kind: credential.kind,
    client_id: credential.clientId,
    ...anyCredentialBody(credential),
    ...ofCredential(credential),
  };
}

export function ingestKeyBody(credential: Credential): ResultOf<Rows["getIngestKey"]> {
  return {
    id: credential.id,
    ...anyCredentialBody(credential),
    origins: credential.origins === null ? null : [...credential.origins],
    requests_per_second: credential.requestsPerSecond,
    ...ofCredential(credential),
  };
}

/** Returns the members of the kinds that sign in with secrets of the table `credential_secret`. */
function ofCredential(credential: Credential) {
  return {
    scopes: [...credential.scopes],
    effective_scopes: [...credential.effectiveScopes],
    revoked_with: credential.revokedWith,
    last_used_ip: credential.lastUsedIp,
    secrets: credential.secrets.map((secret) => ({
      id: secret.id,
      hint: secret.hint,
      created_at: isoFromMs(secret.createdAtMs),
      expires_at: isoOrNull(secret.expiresAtMs),
      last_used_at: isoOrNull(secret.lastUsedAtMs),
    })),
  };
}

export function s3KeyBody(key: S3Key): ResultOf<Rows["getS3Key"]> {
  return {
    id: key.id,
    access_key_id: key.accessKeyId,
    ...anyCredentialBody(key),
    scopes: S3_KEY_SCOPES.filter((scope) => key.scopes.includes(scope)),
    effective_scopes: S3_KEY_SCOPES.filter((scope) => key.effectiveScopes.includes(scope)),
    buckets: key.buckets === null ? null : [...key.buckets],
    prefix: key.prefix,
    former:
      key.former === null
        ? null
        : {
            access_key_id: key.former.accessKeyId,
            expires_at: isoFromMs(key.former.endsAtMs),
            last_used_at: isoOrNull(key.former.lastUsedAtMs),
          },
  };
}

export function trustBody(trust: TrustView): ResultOf<Rows["createTrust"]> {
  const { id, clientId, name, projectId } = trust.credential;
  return {
    id: trust.id,
    name: trust.name,
    credential: { id, client_id: clientId, name, project_id: projectId },
    issuer: trust.issuer,
    audience: trust.audience,
    subject: trust.subject,
    claims: { ...trust.claims },
    created_by: trust.createdBy,
    created_at: isoFromMs(trust.createdAtMs),
    last_used_at: isoOrNull(trust.lastUsedAtMs),
    last_subject: trust.lastSubject,
  };
}

export function activityBody(activity: CredentialActivity): ResultOf<Rows["getCredentialActivity"]> {
  return {
    last_hour: activity.lastHour,
    last_day: activity.lastDay,
    by_address: activity.byAddress.map(({ ip, user_agent, requests, last_at }) => ({
      ip: ip === "" ? null : ip,
      user_agent: user_agent === "" ? null : user_agent,
      requests,
      last_at: isoFromMs(last_at),
    })),
    by_service: activity.byService.map(({ service, requests }) => ({ service: service as ActivityService, requests })),
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}

export function s3DestinationBody(destination: Destination) {
  const { id, name, url, created_at } = destination;
  return { id, name, url, arn: `arn:mooring:webhook:::${name}`, created_at: isoFromMs(created_at) };
}
