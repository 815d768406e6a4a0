import type { LeakKind } from "@mooring/contract";

/** Returns the commands that end or replace a secret, the safest first. */
export function nextCommands(owner: {
  readonly kind: LeakKind;
  readonly id: string;
  readonly responsible: { readonly id: string | null };
}): string[] {
  return NEXT[owner.kind](owner.id, owner.responsible.id ?? "");
}

const ofCredential = (id: string): string[] => [
  `mooring credential rotate ${id} --overlap-seconds 0`,
  `mooring credential revoke ${id} --reason leak`,
];
const ofKey = (id: string): string[] => [
  `mooring s3 keys rotate ${id} --overlap-seconds 0`,
  `mooring s3 keys revoke ${id} --reason leak`,
];
const ofPerson = (_id: string, person: string): string[] => [`mooring member end-access ${person} --yes`];

const NEXT: Readonly<Record<LeakKind, (id: string, person: string) => string[]>> = {
  client_secret: ofCredential,
  access_token: ofCredential,
  registry_token: ofCredential,
  personal_token: (id) => [`mooring credential revoke ${id} --reason leak`],
  ingest_key: (id) => [
    `mooring ingest-key rotate ${id} --overlap-seconds 0`,
    `mooring ingest-key revoke ${id} --reason leak --yes`,
  ],
  s3_access_key: ofKey,
  s3_secret: ofKey,
  webhook_url: (id) => [`mooring webhooks rotate ${id}`],
  invitation: (id) => [`mooring invitation revoke ${id} --yes`],
  setup_link: () => [],
  reset_link: () => [],
  session: ofPerson,
  session_token: ofPerson,
  login_token: ofPerson,
  login_refresh_token: ofPerson,
  login_code: ofPerson,
  operator_token: (id) => [`mooring operator revoke-token ${id} --yes`],
};
