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
  {
    line: "updateMember: body: minProperties is greater",
    reason: "role was required, so a body without members was refused before, too",
  },
];
