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
  NOT_SUSPENDED,
  ofAllowing,
  organizationForbids,
  organizationsWithout,
  readSuspension,
  setSuspension,
  suspensionFields,
  suspensionOf,
} from "./store.ts";
