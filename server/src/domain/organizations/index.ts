export { checkpointHandler, startCheckpoints, type CheckpointSending } from "./organization/audit-checkpoints.ts";
export { membersWhoMay, type MemberAccess } from "./access/who-may.ts";
export { createApp, createAppIn, deleteApp, deleteAppIn, findApp, listApps, updateApp } from "./apps/apps.ts";
export { moveApp } from "./apps/move.ts";
export { appTrash, type AppTrashDeps } from "./apps/trash.ts";
export type { App } from "./apps/store.ts";
export {
  bootstrapOrganization,
  ensureSetupLink,
  createOrganizationFor,
  type Bootstrapped,
  type BootstrapInput,
} from "./bootstrap.ts";
export { auditOrigin, SYSTEM, type Caller, type OrganizationsDeps, type SystemPrincipal } from "./caller.ts";
export { announceAccessChange, changeOrganization } from "./change.ts";
export { listEndings, type Ending } from "./endings/endings.ts";
export { applyClaimedGroups } from "./groups/claims.ts";
export { createRole, deleteRole, listRoles, roleIn, roleVersion, scopesOfCustom, updateRole } from "./roles/roles.ts";
export type { CustomRole } from "./roles/store.ts";
export { createGroup, deleteGroup, groupIn, groupVersion, listGroups, updateGroup } from "./groups/groups.ts";
export { groupMemberVersion, listGroupMembers, removeGroupMember, setGroupMember } from "./groups/members.ts";
export {
  listProjectGroups,
  projectGroupVersion,
  removeProjectGroup,
  setProjectGroup,
} from "./groups/project-groups.ts";
export type { Group, GroupMember, ProjectGroup } from "./groups/store.ts";
export {
  acceptInvitation,
  acceptInvitationAs,
  invitationHash,
  openInvitation,
  type Acceptance,
  type Origin,
} from "./invitations/accept.ts";
export {
  invite,
  createMailedToken,
  type MadeInvitation,
  listInvitations,
  invitationMailed,
  renewInvitation,
  revokeInvitation,
  statusOf,
} from "./invitations/invitations.ts";
export { linkSecretOf, type LinkSecret } from "./leaked.ts";
export type { Invitation } from "./invitations/store.ts";
export {
  changeMember,
  hasOtherOwner,
  isLastOwner,
  memberVersion,
  listMembers,
  planRemoval,
  planMember,
  removeMember,
  removeMemberIn,
} from "./members/members.ts";
export {
  isEnded,
  isSignInEnded,
  personPrincipal,
  signedInPrincipal,
  allowsPerson,
  standingOf,
  type SignedIn,
} from "./members/person.ts";
export { endMemberAccess, type EndedAccess } from "./members/end-access.ts";
export { managersOf, type Manager } from "./members/managers.ts";
export { lastingIdOf, personByToken, principalNow } from "./members/principal.ts";
export { deleteMembership, type Member } from "./members/store.ts";
export {
  getOrganization,
  policyOf,
  requireDeviceLogin,
  updateOrganization,
  type OrganizationChange,
  organizationVersion,
} from "./organization/organization.ts";
export { applyAuditRetention, auditRetentionHandler, startAuditRetention } from "./organization/audit-retention.ts";
export type { OrganizationPolicy } from "./organization/policy.ts";
export {
  allOrganizations,
  countOrganization,
  isReservedSlug,
  organizationById,
  organizationBySlug,
  type Organization,
} from "./organization/store.ts";
export { listPage, type Page, type PageQuery } from "./pages.ts";
export { hashPassword, verifyPassword } from "./password.ts";
export { setDeletionLock } from "./projects/deletion-lock.ts";
export { projectTrash, type ProjectTrashDeps } from "./projects/trash.ts";
export { changeProjectState } from "./projects/state.ts";
export { enterProject, type Entered } from "./projects/enter.ts";
export { firstProject } from "./projects/first.ts";
export {
  listProjectMembers,
  planProjectMember,
  planProjectRemoval,
  removeProjectMember,
  setProjectMember,
} from "./projects/members.ts";
export { createProject, deleteProject, listProjects, updateProject, type NewProject } from "./projects/projects.ts";
export { sizeOf, type ProjectMember } from "./projects/store.ts";
export type { Project, ProjectFilter } from "#domain/projects/index.ts";
export { knownProjects, seenByBoth, visibleProjects, type KnownProjects } from "./projects/visible.ts";
export { openSetupLink, setupUrl, useSetupLink } from "./setup/setup.ts";
export { projectFor, projectIfNamed } from "./projects/named-project.ts";
