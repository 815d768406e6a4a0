import { OPERATOR_ROUTES, type ApiCommand, type Route, type SuspendedState } from "@mooring/contract";
import {
  createOperatorToken,
  giveOperatorRole,
  listOperators,
  organizationNamed,
  personNamed,
  renameOrganization,
  setOrganizationState,
  takeOperatorRole,
  type OperatorCaller,
  type StateChange,
} from "#domain/operator/index.ts";
import {
  deleteOrganization,
  keepOrganization,
  type OrganizationDeletionDeps,
} from "#domain/organization-deletion/index.ts";
import { organizationsOf } from "#domain/people/index.ts";
import { ACTIVE, suspensionFields } from "#domain/suspension/index.ts";
import { bodyCheck } from "#http/index.ts";
import { nearest } from "#kernel/nearest.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import { Problem } from "#kernel/problem.ts";
import { createJobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { nounHelp, optionsOf, usageOf } from "./api/help.ts";
import { itemPrinter, printRecord } from "./api/output.ts";
import { readInput, requestOf, type ApiRequest } from "./api/request.ts";
import { runCommand } from "./api/run.ts";
import {
  command,
  CommandError,
  configOf,
  LOCAL_OPTIONS,
  textOption,
  UsageError,
  type Command,
  type Parsed,
} from "./command.ts";
import { CONNECTION_OPTIONS } from "./connection.ts";
import { presentAddresses, withIdentity } from "./stores.ts";

type RowName = keyof typeof OPERATOR_ROUTES;

/** The operation of each verb, with its examples. */
const VERBS: Readonly<Record<string, readonly [RowName, ...string[]]>> = {
  list: ["listOperators", ""],
  "log-level": ["getLogLevel", ""],
  "set-log-level": ["setLogLevel", "--level debug"],
  give: ["giveOperatorRole", "--email ada@example.com", "--email ada@example.com --data-dir ./data"],
  take: ["takeOperatorRole", "ada@example.com --yes"],
  organizations: ["listOrganizations", "", "--q acme --json"],
  create: ["createOrganization", "--slug acme --name Acme --owner-email ada@example.com"],
  suspend: ["suspendOrganization", "acme --state read_only --reason 'the bill is unpaid'", "acme --state blocked"],
  resume: ["resumeOrganization", "acme"],
  rename: ["renameOrganization", "acme --slug acme-old --name 'Acme (old)'"],
  delete: ["deleteOrganizationAsOperator", "acme --yes"],
  keep: ["keepOrganizationAsOperator", "acme"],
  quotas: ["getOrganizationQuotas", "acme"],
  "set-quotas": ["setOrganizationQuotas", "acme --stored-bytes-max 50000000000"],
  tokens: ["listOperatorTokens", ""],
  "create-token": ["createOperatorToken", "--name terraform", "--name ci --expires-at 2027-01-01T00:00:00Z"],
  "revoke-token": ["revokeOperatorToken", "otok_01k… --yes"],
};

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  list: ["email", "name", "last_seen_at", "is_set_up", "id"],
  organizations: ["slug", "name", "state", "state_reason", "deletes_at", "members", "created_at", "id"],
  tokens: ["name", "created_by", "created_at", "expires_at", "last_used_at", "id"],
};

const COMMANDS: readonly ApiCommand[] = Object.entries(VERBS).map(([verb, [name, ...examples]]) => {
  const columns = COLUMNS[verb];
  const row: Route = OPERATOR_ROUTES[name];
  return { row, noun: "operator", verb, form: { examples, ...(columns === undefined ? {} : { columns }) } };
});

/** Manages operators and organizations: through the server, or with `--data-dir` on its machine. */
export const operator: Command = {
  run: async (args) => {
    const [verb, ...rest] = args;
    if (verb === undefined || verb === "--help" || verb === "-h" || verb === "help") {
      process.stdout.write(nounHelp("operator", COMMANDS));
      return 0;
    }
    const found = COMMANDS.find((one) => one.verb === verb);
    if (found === undefined) throw unknownVerb(verb);
    const isLocal = rest.some((word) => /^--(?:data-dir|config)(?:=|$)/.test(word));
    const options = [...optionsOf(found), ...(isLocal ? LOCAL_OPTIONS : CONNECTION_OPTIONS)];
    return command(usageOf(found), options, (parsed) =>
      isLocal ? runLocally(found, parsed) : runCommand(found, parsed),
    ).run(rest);
  },
};

function unknownVerb(verb: string): UsageError {
  const near = nearest(verb, Object.keys(VERBS));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new UsageError(`operator has no ${JSON.stringify(verb)}${hint} Name one of ${Object.keys(VERBS).join(", ")}`);
}

/** The actor of a command on the machine. Anybody who can read the data directory can use it. */
const BY_SYSTEM: OperatorCaller = { actor: { kind: "system", id: null }, ip: null, requestId: null };

type Deps = OrganizationDeletionDeps;

/** The verbs that need no server. They help when nobody can sign in as an operator. */
const LOCAL: Readonly<Record<string, (deps: Deps, request: LocalRequest) => Promise<unknown>>> = {
  list: async (deps) => (await listOperators(deps)).map(({ id, email, name }) => ({ id, email, name })),
  give: async (deps, { body }) => {
    const { id, email, name } = await giveOperatorRole(deps, BY_SYSTEM, { email: String(body["email"]) });
    return { id, email, name };
  },
  take: async (deps, { params }) => {
    await takeOperatorRole(deps, BY_SYSTEM, personNamed(params["user_id"] ?? ""));
    return {};
  },
  organizations: async ({ metadata }, { query }) => {
    const { q = "" } = query as { readonly q?: string };
    const found: Record<string, unknown>[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page = await organizationsOf(metadata.read, { q, after, limit: 1000 });
      for (const { slug, name, id, ...row } of page.organizations)
        found.push({ slug, name, ...suspensionFields(row), id });
      after = page.next;
    }
    return found;
  },
  suspend: (deps, { params, body }) => {
    const { state, reason = null } = body as { state: SuspendedState; reason?: string | null };
    return changedState(deps, params, { state, reason });
  },
  resume: (deps, { params }) => changedState(deps, params, ACTIVE),
  delete: async (deps, { params }) => {
    const { id } = await organizationNamed(deps.metadata.read, organizationIn(params));
    return stateOf(await deleteOrganization(deps, BY_SYSTEM, id));
  },
  keep: async (deps, { params }) => {
    const { id } = await organizationNamed(deps.metadata.read, organizationIn(params));
    return stateOf(await keepOrganization(deps, BY_SYSTEM, id));
  },
  rename: async (deps, { params, body }) => {
    const change = body as { slug?: string; name?: string };
    const { organization, propagated } = await renameOrganization(deps, BY_SYSTEM, organizationIn(params), change);
    return { id: organization.id, slug: organization.slug, name: organization.name, propagated };
  },
  "create-token": async (deps, { body }) => {
    const { name, expires_at: end = null } = body as { name: string; expires_at?: string | null };
    const expiresAtMs = end === null ? null : Date.parse(end);
    const { token, secret } = await createOperatorToken(deps, BY_SYSTEM, { name, expiresAtMs });
    return { token: secret, item: { id: token.id, name, created_at: isoFromMs(token.created_at) } };
  },
};

interface LocalRequest extends Pick<ApiRequest, "params" | "query"> {
  readonly body: Readonly<Record<string, unknown>>;
}

function organizationIn(params: ApiRequest["params"]): string {
  return params["organization_id"] ?? "";
}

async function changedState(
  deps: Deps,
  params: ApiRequest["params"],
  wanted: Parameters<typeof setOrganizationState>[3],
): Promise<unknown> {
  return stateOf(await setOrganizationState(deps, BY_SYSTEM, organizationIn(params), wanted));
}

function stateOf({ organization, propagated }: StateChange): Record<string, unknown> {
  const { id, slug } = organization;
  const { state, state_reason, deletes_at } = suspensionFields(organization);
  return { id, slug, state, state_reason, deletes_at, propagated };
}

/** Adds and removes jobs, which a server runs. */
function waitingJobs(metadata: MetadataStore): Deps["jobs"] {
  const log = { warn: (_fields: object, message: string) => void process.stderr.write(`mooring: ${message}\n`) };
  return createJobs({ metadata, clock: systemClock, log, schedule: new Schedule(systemClock) });
}

function print(found: ApiCommand, answer: unknown, json: boolean): void {
  if (!Array.isArray(answer)) return printRecord(answer, json);
  const printer = itemPrinter(found, { json, streams: false });
  for (const item of answer as Record<string, unknown>[]) printer.add(item);
  printer.end();
}

async function runLocally(found: ApiCommand, parsed: Parsed): Promise<number> {
  const run = LOCAL[found.verb];
  if (run === undefined) throw new UsageError(`operator ${found.verb} needs a running server; leave out --data-dir`);
  const { params, query, body = {} } = requestOf(found, parsed, readInput(textOption(parsed, "input")));
  const config = configOf(parsed);
  try {
    // The server makes the same check of a request.
    if (found.row.body !== undefined) bodyCheck(found.row.body)(body);
    const answer = await withIdentity(config, await presentAddresses(config), ({ feed }, metadata) =>
      run(
        { metadata, clock: systemClock, feed, jobs: waitingJobs(metadata) },
        { params, query, body: body as LocalRequest["body"] },
      ),
    );
    print(found, answer, parsed.values["json"] === true);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "not_found") throw new CommandError("there is no such organization or person");
    const places = (error.options.errors ?? []).map(({ pointer, detail }) => `; ${pointer.slice(1)} ${detail}`);
    throw new CommandError(error.message + places.join(""));
  }
  return 0;
}
