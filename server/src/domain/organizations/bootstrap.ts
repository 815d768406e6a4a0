import { APP_SLUG_PATTERN, SLUG_PATTERN } from "@mooring/contract";
import { hasOperator } from "#domain/accounts/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import type { Project } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Tables, Writer } from "#stores/metadata/index.ts";
import { createAppIn } from "./apps/apps.ts";
import { appByName, type App } from "./apps/store.ts";
import { SYSTEM, auditOrigin, type OrganizationsDeps } from "./caller.ts";
import { announceAccessChange, changeOrganization } from "./change.ts";
import {
  findRole,
  insertMember,
  insertPersonOrFind,
  ownersOf,
  personByEmail,
  setInstanceAdmin,
  setMember,
} from "./members/store.ts";
import { createOrganization } from "./organization/organization.ts";
import { oldestOrganization, organizationBySlug, type Organization } from "./organization/store.ts";
import { FIRST_PROJECT, findOrMakeProject } from "./projects/first.ts";
import { createSetupLink, setupUrl } from "./setup/setup.ts";

export interface BootstrapInput {
  /** Slugs. */
  org: string;
  project: string;
  app: string;
  /** Default: `owner@<org>.localhost` if the organization has no owner. */
  ownerEmail?: string | undefined;
}

export interface Bootstrapped {
  organization: Organization;
  project: Project;
  app: App;
  owner: { id: string; email: string };
  /** Null if the owner has an account, because a link would let anybody take it over. */
  setupToken: string | null;
}

/** The organization that a first start creates. */
const FIRST_ORGANIZATION = "main";

/**
 * Finds or creates an organization, a project, an app and an owner. It may run again, twice at the same time, and
 * beside a running server.
 * @throws Problem `invalid_request` (a slug or the address is not valid), `conflict` (the app belongs to another
 * project)
 */
export async function bootstrapOrganization(deps: OrganizationsDeps, input: BootstrapInput): Promise<Bootstrapped> {
  requireSlug("organization", input.org, SLUG_PATTERN);
  requireSlug("project", input.project, SLUG_PATTERN);
  requireSlug("app", input.app, APP_SLUG_PATTERN);
  requireEmail(input.ownerEmail);
  const organization = await findOrMakeOrganization(deps, input.org);
  return changeOrganization(deps, organization.id, async (tx) => {
    const project = await findOrMakeProject(deps, tx, organization.id, input.project);
    const app = await findOrMakeApp(deps, tx, project, input.app);
    const { owner, setupToken } = await ownerOf(deps, tx, organization, input.ownerEmail);
    return { organization, project, app, owner, setupToken };
  });
}

/**
 * Creates an organization for an owner. The owner gets a set-up link, unless they have an account with a password.
 * @throws Problem `conflict`: the slug is taken
 */
export async function createOrganizationFor(
  deps: OrganizationsDeps,
  input: { readonly slug: string; readonly name: string; readonly ownerEmail: string },
): Promise<Pick<Bootstrapped, "organization" | "setupToken">> {
  const { slug, name, ownerEmail } = input;
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, "organizations");
    if ((await organizationBySlug(tx, slug)) !== undefined)
      throw new Problem("conflict", `The organization ${slug} exists already. Choose another slug.`);
    const organization = await createOrganization(deps, tx, SYSTEM, slug, name);
    await findOrMakeProject(deps, tx, organization.id, FIRST_PROJECT);
    const { setupToken } = await ownerOf(deps, tx, organization, ownerEmail);
    return { organization, setupToken };
  });
}

/**
 * Returns a set-up link for the owner of the oldest organization, until the server has an operator. Creates the first
 * organization if there is none. Returns null after the set-up, so that nobody can sign in with a link from an old log.
 */
export async function ensureSetupLink(deps: OrganizationsDeps, portalUrl: string): Promise<string | null> {
  if (await hasOperator(deps.metadata.read)) return null;
  const organization =
    (await oldestOrganization(deps.metadata.read)) ?? (await findOrMakeOrganization(deps, FIRST_ORGANIZATION));
  return changeOrganization(deps, organization.id, async (tx) => {
    const isNew = (await ownersOf(tx, organization.id)).length === 0;
    if (isNew) await findOrMakeProject(deps, tx, organization.id, FIRST_PROJECT);
    if (await hasOperator(tx)) return null;
    const { setupToken } = await ownerOf(deps, tx, organization, undefined, { byStart: true });
    return setupToken === null ? null : setupUrl(portalUrl, setupToken);
  });
}

async function findOrMakeOrganization(deps: OrganizationsDeps, slug: string): Promise<Organization> {
  const known = await organizationBySlug(deps.metadata.read, slug);
  if (known !== undefined) return known;
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, "organizations");
    return (await organizationBySlug(tx, slug)) ?? createOrganization(deps, tx, SYSTEM, slug);
  });
}

async function findOrMakeApp(deps: OrganizationsDeps, tx: Writer, project: Project, slug: string): Promise<App> {
  const known = await appByName(tx, project.org_id, slug);
  if (known === undefined) return createAppIn(deps, tx, SYSTEM, { project, input: { slug } });
  if (known.project_id === project.id) return known;
  throw new Problem(
    "conflict",
    `cannot bootstrap: the app ${slug} belongs to the project ${known.project_slug}. Name that project or another app`,
  );
}

async function ownerOf(
  deps: OrganizationsDeps,
  tx: Writer,
  organization: Organization,
  email: string | undefined,
  { byStart }: { readonly byStart: boolean } = { byStart: false },
): Promise<Pick<Bootstrapped, "owner" | "setupToken">> {
  const [first] = await ownersOf(tx, organization.id);
  const wanted = email?.toLowerCase() ?? first?.email ?? `owner@${organization.slug}.localhost`;
  const known = await personByEmail(tx, wanted);
  const role = known === undefined ? undefined : (await findRole(tx, organization.id, known.id))?.role;
  // A member of another organization may have created an account with the default address.
  if (known !== undefined && role === undefined && email === undefined) throw takenAddress(wanted);
  if (known !== undefined && role !== "owner" && hasAccount(known) && known.verified_at === null)
    throw unverifiedAddress(wanted);
  const person = known ?? (await makePerson(deps, tx, organization.id, wanted));
  if (role !== "owner") await makeOwner(deps, tx, organization.id, person.id);
  const owner = { id: person.id, email: person.email };
  if (hasAccount(person)) return { owner, setupToken: null };
  return {
    owner,
    setupToken: await createSetupLink(deps, tx, SYSTEM, { orgId: organization.id, userId: person.id, byStart }),
  };
}

/** Whether the person can sign in: with a password, or at a provider. */
function hasAccount(person: Tables["person"]): boolean {
  return person.password_hash !== null || person.last_seen_at !== null;
}

/** Anybody who saw an invitation may have created the account, so it must not get an organization. */
function unverifiedAddress(email: string): Problem {
  return new Problem(
    "conflict",
    `The account ${email} can't become an owner, because its address is not verified. Give its person a link from mooring account reset, then do this again.`,
  );
}

function takenAddress(email: string): Problem {
  return new Problem(
    "conflict",
    `cannot bootstrap: another organization created the account ${email}. Name the owner with --owner-email`,
  );
}

async function makePerson(
  deps: OrganizationsDeps,
  tx: Writer,
  orgId: string,
  email: string,
): Promise<Tables["person"]> {
  const at = deps.clock.nowMs();
  const { person, created } = await insertPersonOrFind(tx, {
    id: newId("user", at),
    email,
    name: "",
    password_hash: null,
    instance_admin: 0,
    last_seen_at: null,
    verified_at: null,
    created_at: at,
  });
  if (created) {
    await appendAudit(deps, tx, {
      ...auditOrigin(SYSTEM),
      orgId,
      action: "person.create",
      target: { kind: "user", id: person.id },
      detail: { email },
    });
  }
  return person;
}

async function makeOwner(deps: OrganizationsDeps, tx: Writer, orgId: string, userId: string): Promise<void> {
  const role = (await findRole(tx, orgId, userId))?.role;
  if (role === undefined)
    await insertMember(tx, { org_id: orgId, user_id: userId, role: "owner", created_at: deps.clock.nowMs() });
  else await setMember(tx, orgId, userId, { role: "owner", custom_role: null, lowered_from: null, expires_at: null });
  const runsServer = await nameFirstAdmin(deps, tx, userId);
  await announceAccessChange(deps, tx, orgId);
  await appendAudit(deps, tx, {
    ...auditOrigin(SYSTEM),
    orgId,
    action: role === undefined ? "member.add" : "member.update",
    target: { kind: "user", id: userId },
    detail: { role: { from: role ?? null, to: "owner" }, ...(runsServer ? { instance_admin: true } : {}) },
  });
}

/**
 * Makes the owner a candidate for operator, unless an operator with an account exists. The first candidate who signs in
 * becomes the operator (`closeSetUp`).
 */
async function nameFirstAdmin(deps: OrganizationsDeps, tx: Writer, userId: string): Promise<boolean> {
  await deps.metadata.lock(tx, "instance_admin");
  if (await hasOperator(tx)) return false;
  await setInstanceAdmin(tx, userId);
  return true;
}

function requireSlug(kind: string, slug: string, pattern: string): void {
  if (new RegExp(pattern).test(slug)) return;
  const form =
    kind === "app"
      ? "3 to 63 characters of a-z, 0-9, dots and hyphens, with a letter or digit at the beginning and the end, and not a name that S3 reserves"
      : "2 to 39 characters of a-z, 0-9 and hyphens, with a letter or digit at the beginning and the end";
  throw new Problem("invalid_request", `cannot bootstrap: the slug of the ${kind} must be ${form}`);
}

function requireEmail(email: string | undefined): void {
  if (email === undefined || (email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email))) return;
  throw new Problem("invalid_request", "cannot bootstrap: the owner's e-mail address is not valid");
}
