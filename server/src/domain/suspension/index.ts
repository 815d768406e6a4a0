export {
  ACTIVE,
  requireOrganizationAllows,
  suspensionRefusal,
  suspensionText,
  type OrganizationAction,
  type OrganizationState,
  type Suspension,
} from "./state.ts";
export {
  beginDeletion,
  endDeletion,
  isBeingErased,
  markErasing,
  NOT_SUSPENDED,
  ofAllowing,
  organizationForbids,
  organizationsWithout,
  readSuspension,
  setSuspension,
  suspensionFields,
  suspensionOf,
} from "./store.ts";
