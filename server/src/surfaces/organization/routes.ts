import { ORGANIZATION_ROUTES as rows, USAGE_ROUTES } from "@mooring/contract";
import type { FastifyInstance } from "fastify";
import { mountRoute } from "#http/index.ts";
import type { OrganizationSurfaceDeps, UsageSurfaceDeps } from "./deps.ts";
import { getAccess } from "./operations/access.ts";
import { createApp, deleteApp, getApp, listApps, moveApp, updateApp } from "./operations/apps.ts";
import { exportAudit, getAuditEntry, listAudit, verifyAudit } from "./operations/audit.ts";
import {
  approveCredential,
  createCredential,
  getCredential,
  getCredentialActivity,
  listCredentials,
  revokeCredential,
  rotateCredential,
  updateCredential,
} from "./operations/credentials.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  renewInvitation,
  revokeInvitation,
} from "./operations/invitations.ts";
import { getMe } from "./operations/me.ts";
import { deleteMember, listMembers, updateMember } from "./operations/members.ts";
import { getOrganization, updateOrganization } from "./operations/organization.ts";
import { deleteProjectMember, listProjectMembers, putProjectMember } from "./operations/project-members.ts";
import {
  archiveProject,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  unarchiveProject,
  updateProject,
} from "./operations/projects.ts";
import {
  createS3Destination,
  deleteS3Destination,
  getS3Destination,
  listS3Destinations,
} from "./operations/s3-destinations.ts";
import {
  approveS3Key,
  createS3Key,
  getS3Key,
  getS3KeyActivity,
  listS3Keys,
  revokeS3Key,
  updateS3Key,
} from "./operations/s3-keys.ts";
import { createTrust, deleteTrust, getTrust, listTrusts, testTrust } from "./operations/trusts.ts";
import { getUsage } from "./operations/usage.ts";

/** Row → operation. The contract's row has method, path and permission. */
export function mountOrganization(app: FastifyInstance, deps: OrganizationSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.getMe, getMe(deps));
  mountRoute(app, host, rows.getOrganization, getOrganization(deps));
  mountRoute(app, host, rows.updateOrganization, updateOrganization(deps));
  mountRoute(app, host, rows.listProjects, listProjects(deps));
  mountRoute(app, host, rows.createProject, createProject(deps));
  mountRoute(app, host, rows.getProject, getProject(deps));
  mountRoute(app, host, rows.updateProject, updateProject(deps));
  mountRoute(app, host, rows.archiveProject, archiveProject(deps));
  mountRoute(app, host, rows.unarchiveProject, unarchiveProject(deps));
  mountRoute(app, host, rows.deleteProject, deleteProject(deps));
  mountRoute(app, host, rows.listProjectMembers, listProjectMembers(deps));
  mountRoute(app, host, rows.putProjectMember, putProjectMember(deps));
  mountRoute(app, host, rows.deleteProjectMember, deleteProjectMember(deps));
  mountRoute(app, host, rows.listApps, listApps(deps));
  mountRoute(app, host, rows.createApp, createApp(deps));
  mountRoute(app, host, rows.getApp, getApp(deps));
  mountRoute(app, host, rows.updateApp, updateApp(deps));
  mountRoute(app, host, rows.moveApp, moveApp(deps));
  mountRoute(app, host, rows.deleteApp, deleteApp(deps));
  mountRoute(app, host, rows.listMembers, listMembers(deps));
  mountRoute(app, host, rows.updateMember, updateMember(deps));
  mountRoute(app, host, rows.deleteMember, deleteMember(deps));
  mountRoute(app, host, rows.listInvitations, listInvitations(deps));
  mountRoute(app, host, rows.createInvitation, createInvitation(deps));
  mountRoute(app, host, rows.renewInvitation, renewInvitation(deps));
  mountRoute(app, host, rows.revokeInvitation, revokeInvitation(deps));
  mountRoute(app, host, rows.acceptInvitation, acceptInvitation(deps));
  mountRoute(app, host, rows.getAccess, getAccess(deps));
  mountRoute(app, host, rows.listCredentials, listCredentials(deps));
  mountRoute(app, host, rows.createCredential, createCredential(deps));
  mountRoute(app, host, rows.getCredential, getCredential(deps));
  mountRoute(app, host, rows.getCredentialActivity, getCredentialActivity(deps));
  mountRoute(app, host, rows.updateCredential, updateCredential(deps));
  mountRoute(app, host, rows.approveCredential, approveCredential(deps));
  mountRoute(app, host, rows.rotateCredential, rotateCredential(deps));
  mountRoute(app, host, rows.revokeCredential, revokeCredential(deps));
  mountRoute(app, host, rows.listTrusts, listTrusts(deps));
  mountRoute(app, host, rows.createTrust, createTrust(deps));
  mountRoute(app, host, rows.getTrust, getTrust(deps));
  mountRoute(app, host, rows.testTrust, testTrust(deps));
  mountRoute(app, host, rows.deleteTrust, deleteTrust(deps));
  mountRoute(app, host, rows.listS3Keys, listS3Keys(deps));
  mountRoute(app, host, rows.createS3Key, createS3Key(deps));
  mountRoute(app, host, rows.getS3Key, getS3Key(deps));
  mountRoute(app, host, rows.getS3KeyActivity, getS3KeyActivity(deps));
  mountRoute(app, host, rows.updateS3Key, updateS3Key(deps));
  mountRoute(app, host, rows.approveS3Key, approveS3Key(deps));
  mountRoute(app, host, rows.revokeS3Key, revokeS3Key(deps));
  mountRoute(app, host, rows.listS3Destinations, listS3Destinations(deps));
  mountRoute(app, host, rows.createS3Destination, createS3Destination(deps));
  mountRoute(app, host, rows.getS3Destination, getS3Destination(deps));
  mountRoute(app, host, rows.deleteS3Destination, deleteS3Destination(deps));
  mountRoute(app, host, rows.listAudit, listAudit(deps));
  mountRoute(app, host, rows.getAuditEntry, getAuditEntry(deps));
  mountRoute(app, host, rows.exportAudit, exportAudit(deps));
  mountRoute(app, host, rows.verifyAudit, verifyAudit(deps));
}

/** Row → operation. The contract's row has method, path and permission. */
export function mountUsage(app: FastifyInstance, deps: UsageSurfaceDeps): void {
  mountRoute(app, deps.host, USAGE_ROUTES.getUsage, getUsage(deps));
}
