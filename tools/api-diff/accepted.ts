/** The reason for a role that answers may have now. */
const GUESTS = "the role guest appears only after somebody of the organization has invited a guest";

const newRole = (place: string): { readonly line: string; readonly reason: string } => ({
  line: `${place}: the value "guest" is now possible`,
  reason: GUESTS,
});

/**
 * Breaking changes since the last release that we accept: each with its line in the comparison, and the reason. A
 * release copies
 * `openapi/*.json` to `openapi/released/` and empties this list.
 */
export const ACCEPTED: readonly { readonly line: string; readonly reason: string }[] = [
  {
    line: "updateFileSettings: body: minProperties is greater",
    reason: "trash_days was required, so a body without members was refused before, too",
  },
  newRole("getMe: answer 200.role"),
  newRole("listMembers: answer 200.items[].role"),
  {
    line: "updateMember: body: minProperties is greater",
    reason: "role was required, so a body without members was refused before, too",
  },
  newRole("updateMember: answer 200.role"),
  newRole("listInvitations: answer 200.items[].role"),
  newRole("createInvitation: answer 201.role"),
  newRole("renewInvitation: answer 200.role"),
  newRole("acceptInvitation: answer 200.role"),
  newRole("getAccess: answer 200.members[].role"),
];
