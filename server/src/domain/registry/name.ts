/** The parts of `orgs/{org}/{app}`. */
export interface RepositoryName {
  readonly org: string;
  readonly app: string;
}

/** One component of a repository's name (distribution specification, "Pulling manifests"). */
const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const NAME = new RegExp(`^orgs/(${COMPONENT})/(${COMPONENT})$`);
/** The longest name. Clients allow 255 characters together with the registry's host. */
const NAME_CHARS_MAX = 200;

/** Returns undefined for a name that no app can have. */
export function parseName(name: string): RepositoryName | undefined {
  if (name.length > NAME_CHARS_MAX) return undefined;
  const [, org, app] = NAME.exec(name) ?? [];
  return org === undefined || app === undefined ? undefined : { org, app };
}

const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

export function isTag(text: string): boolean {
  return TAG.test(text);
}
