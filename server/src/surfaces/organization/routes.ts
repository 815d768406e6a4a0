import { ORGANIZATION_ROUTES, USAGE_ROUTES } from "@mooring/contract";
import type { FastifyInstance } from "fastify";
import { mountRoutes } from "#http/index.ts";
import type { OrganizationSurfaceDeps, UsageSurfaceDeps } from "./deps.ts";
import * as access from "./operations/access.ts";
import * as apps from "./operations/apps.ts";
import * as audit from "./operations/audit.ts";
import * as credentials from "./operations/credentials.ts";
import * as customRoles from "./operations/custom-roles.ts";
import * as endings from "./operations/endings.ts";
import * as groups from "./operations/groups.ts";
import * as ingestKeys from "./operations/ingest-keys.ts";
import * as invitations from "./operations/invitations.ts";
import { acceptInvitation } from "./operations/invitations.ts";
import * as leaks from "./operations/leaks.ts";
import * as me from "./operations/me.ts";
import * as members from "./operations/members.ts";
import * as organization from "./operations/organization.ts";
import * as oversight from "./operations/oversight.ts";
import * as projectMembers from "./operations/project-members.ts";
import * as projects from "./operations/projects.ts";
import * as requests from "./operations/requests.ts";
import * as s3Destinations from "./operations/s3-destinations.ts";
import * as s3Keys from "./operations/s3-keys.ts";
import * as trash from "./operations/trash.ts";
import * as trusts from "./operations/trusts.ts";
import { listDailyUsage } from "./operations/daily-usage.ts";
import { getQuota, listQuotas, updateQuota } from "./operations/quotas.ts";
import { getUsage } from "./operations/usage.ts";

/** Every row of the contract, which has method, path and permission. */
export function mountOrganization(app: FastifyInstance, deps: OrganizationSurfaceDeps): void {
  mountRoutes(app, deps, ORGANIZATION_ROUTES, {
    ...access,
    ...apps,
    ...audit,
    ...credentials,
    ...customRoles,
    ...endings,
    ...groups,
    ...ingestKeys,
    ...invitations,
    ...leaks,
    ...me,
    ...members,
    ...organization,
    ...oversight,
    ...projectMembers,
    ...projects,
    ...requests,
    ...s3Destinations,
    ...s3Keys,
    ...trash,
    ...trusts,
    acceptInvitation: acceptInvitation(deps), // counts attempts, so it has a state
  });
}

export function mountUsage(app: FastifyInstance, deps: UsageSurfaceDeps): void {
  mountRoutes(app, deps, USAGE_ROUTES, { getUsage, listDailyUsage, listQuotas, getQuota, updateQuota });
}
