export { deleteOrganization, keepOrganization, type OrganizationDeletionDeps } from "./deletion.ts";
export { continueDeletions, eraseHandler, type EraseDeps } from "./erase.ts";
