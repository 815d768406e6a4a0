import { SCOPES } from "@mooring/contract";
import { personPrincipal } from "#domain/organizations/index.ts";
import { projectByName } from "#domain/projects/index.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import {
  CommandError,
  choicesOption,
  LOCAL_OPTIONS,
  command,
  configOf,
  countOption,
  requiredOption,
  textOption,
  UsageError,
  type Option,
} from "./command.ts";
import { memberByEmail } from "./store.ts";
import { presentAddresses, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring token create EMAIL --org ORG --name NAME --scope SCOPE… [options]

Creates a personal access token for a member, on the server's machine. Every API accepts it as an access token, and programs that need a
password, such as docker login, use it with the person's e-mail address. It never has more permissions than the person, and ends when the person leaves. It is shown once;
mooring credential list and revoke work for it as for any credential.

  mooring token create ada@example.com --org acme --name laptop --scope registry:pull,registry:push --expires-days 90
  mooring token create ada@example.com --org acme --name reports --scope telemetry:read

Scopes: ${SCOPES.join(" ")}
`;

const OPTIONS: readonly Option[] = [
  { name: "org", value: "ORG", description: "organization that the person is a member of (slug)" },
  { name: "name", value: "NAME", description: "name of the token" },
  { name: "scope", value: "SCOPE", multiple: true, description: "permission; repeatable, or separated by commas" },
  {
    name: "project",
    value: "PROJECT",
    description: "reach this project only (id or slug); only the registry accepts such a token",
  },
  { name: "expires-days", value: "N", description: "days until it expires (default 90)" },
  { name: "json", description: "print JSON" },
  ...LOCAL_OPTIONS,
];

const DAY_MS = 86_400_000;
const DAYS = 90;

export const token = command(USAGE, OPTIONS, async (parsed) => {
  const [action, email, ...rest] = parsed.positionals;
  if (action !== "create") throw new UsageError("name a subcommand: create");
  if (email === undefined || rest.length > 0) throw new UsageError("name one person by their e-mail address");
  const [org, name] = [requiredOption(parsed, "org"), requiredOption(parsed, "name")];
  const scopes = choicesOption(parsed, "scope", SCOPES);
  if (scopes.length === 0) throw new UsageError("--scope is missing; name only the scopes that the work needs");
  const days = countOption(parsed, "expires-days", { minimum: 1, maximum: 36_500 }) ?? DAYS;
  const project = textOption(parsed, "project");
  const config = configOf(parsed);
  const made = await withIdentity(config, await presentAddresses(config), async (identity, metadata) => {
    const member = await memberByEmail(metadata.read, org, email.toLowerCase());
    const person = member && (await personPrincipal(metadata.read, member.orgId, member.userId, systemClock.nowMs()));
    if (person === undefined) throw new CommandError(`cannot create the token: ${email} is not a member of ${org}`);
    const found = project === undefined ? null : await projectByName(metadata.read, person.orgId, project);
    if (found === undefined) throw new CommandError(`cannot create the token: ${org} has no project ${project}`);
    const acting = { actor: { kind: "system", id: "command-line", orgId: person.orgId } } as const;
    const expiresAtMs = systemClock.nowMs() + days * DAY_MS;
    return identity.credentials.createPersonal(acting, person, {
      projectId: found?.id ?? null,
      name,
      scopes,
      expiresAtMs,
    });
  });
  const { id, expiresAtMs } = made.credential;
  const expiresAt = expiresAtMs === null ? null : isoFromMs(expiresAtMs);
  const text =
    parsed.values["json"] === true
      ? JSON.stringify({ id, email, token: made.token, expires_at: expiresAt })
      : `id       ${id}\ne-mail   ${email}\ntoken    ${made.token}\nexpires  ${expiresAt ?? "never"}\n\nThe token is not shown again.`;
  process.stdout.write(`${text}\n`);
});
