export {
  deleteOrganization,
  keepOrganization,
  type Changed,
  type DeletionCaller,
  type OrganizationDeletionDeps,
} from "./deletion.ts";
export { continueDeletions, eraseHandler, type EraseDeps } from "./erase.ts";
