/** Texts of actions whose composed text would be wrong or unclear. */
const SENTENCES: Readonly<Record<string, string>> = {
  "session.create": "signed in",
  "session.refuse": "tried to sign in",
  "session.confirm": "confirmed their identity",
  "session.sign_out": "signed out",
  "session.end_others": "signed out their other sessions",
  "token.refuse": "requested a token",
  "image.push": "pushed an image",
  "webhook.url.reveal": "viewed a webhook's address",
  "webhook.event.replay": "sent a webhook event again",
  "setup_link.use": "used a set-up link",
  "invitation.accept": "accepted an invitation",
  "credential.reduced": "took permissions from a credential",
  "s3_key.reduced": "took permissions from an S3 key",
  "operator.begin": "became the first operator",
  "operator.give": "made a person an operator",
  "operator.take": "took the role operator from a person",
  "group.member.claim": "changed groups by a claim of the provider",
  "project.enter": "entered a private project",
  "leak.find": "looked for the owner of a leaked secret",
  "member.end_access": "ended the sign-ins of a member",
  "session.end_all": "ended all sessions of a person",
};

const PAST: Readonly<Record<string, string>> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  remove: "removed",
  revoke: "revoked",
  rotate: "rotated",
  accept: "accepted",
  push: "pushed",
  untag: "untagged",
  empty: "emptied",
  stop: "stopped",
  replay: "replayed",
  refuse: "was refused",
  use: "used",
  test: "tested",
  share: "shared",
  restore: "restored",
  transfer: "transferred",
  suspend: "suspended",
  resume: "resumed",
  adopt: "adopted",
  approve: "approved",
  archive: "archived",
  unarchive: "unarchived",
  move: "moved",
  rename: "renamed",
  export: "exported",
  import: "imported",
  keep: "kept",
  erase: "erased",
  purge: "deleted for good",
  end: "deleted, at the end of its time in the trash,",
  lock: "set the deletion lock of",
  unlock: "removed the deletion lock of",
};

/** Describes an action of the audit log: `credential.rotate` becomes `rotated a credential`. */
export function auditWords(action: string): string {
  const whole = SENTENCES[action];
  if (whole !== undefined) return whole;
  const parts = action.split(".");
  const past = PAST[parts.at(-1) ?? ""];
  if (past === undefined || parts.length < 2) return action;
  const thing = parts.slice(0, -1).join(" ").replaceAll("_", " ");
  return `${past} ${/^(?:[aeio]|un|up|s3)/.test(thing) ? "an" : "a"} ${thing}`;
}
