/** The long tests by topic: `npm run full -- --group NAME`. Each *.full.ts file is in exactly one group. */
export interface Group {
  readonly name: string;
  /** The time on two cores, two files at a time. Continuous integration starts a group only if this fits. */
  readonly seconds: number;
  /** The files of the group. */
  readonly files: RegExp;
  /**
   * The product files that the group tests. The group comes first when one of them has changed. Absent for groups that
   * always run.
   */
  readonly about?: RegExp;
  /** Runs the files again in another way, which other groups or `npm test` run. */
  readonly again?: Again;
  /** Runs one file at a time, because other tests would change what its tests measure. */
  readonly oneAtATime?: true;
}

/** `installed`: with the package installed from its tarball. `postgres`: on PostgreSQL. */
export type Again = "installed" | "postgres";

const acceptance = (names: string): RegExp => new RegExp(`^tests/acceptance/(${names})\\.full\\.ts$`);

const CORE_ACCEPTANCE =
  "access|access-log|account|activity|alerts|allowed-addresses|allowed-destinations|audit|concurrent-updates|daily-usage|" +
  "demo|erasures|errors|exact-json-few|files|" +
  "files-resumable-api|ingest-keys|ingest-limits|ingest-rules|live-streams-end|proxies|query|query-log|query-narrow|query-sandbox|query-stored|refused-bodies|refused-entries|" +
  "registry-login|registry-manifests|registry-quota|registry-security|rest|retention|routing|s3|scope-quotas|secrets|sign-in|strict-http|tail|tenancy|token-life|trusts|webhooks|webhooks-json";
const GOVERN_ACCEPTANCE = "leaks|leaving|locked-records|logins|master-key|moves|ownership|suspension|trash";
const PROCESS_ACCEPTANCE =
  "audit-checkpoints|disk-share|fatal|first-run|full-disk|healthcheck|nodes|own-telemetry|settings|start|stop";
const COMMANDS_ACCEPTANCE = "cli|cli-(api|files|ingest|ingest-text|query|s3)|webhooks-cli";
const ACCESS_ACCEPTANCE = "permission-table|requests-explained";
const KILLS_ACCEPTANCE =
  "(access|alerts|files|grpc|idempotency|mail|master-key|moves|organization|protocols|registry|s3|syslog|trash|webhooks)-kill|kill";
const POSTGRES_ACCEPTANCE = "postgres|postgres-page|databases|telemetry-nodes";
const RACES_ACCEPTANCE = "s3-race|paused-node";
const LISTS_ACCEPTANCE = "year";
const LOAD_ACCEPTANCE =
  "anonymous-bodies|exact-json|flood|files-memory|hostile-senders|main-thread|main-thread-s3|registry-main-thread";
const FILES_ACCEPTANCE = "backup|backup-postgres|restore-parts|files-resumable|files-trash|files-upstream";
const API_ACCEPTANCE = "(typescript|python)-client|browser-safety|compatibility|webhooks-senders";
const SETUP_ACCEPTANCE = "docs|setup-closes|upgrade";
const PACKAGING =
  /^(server\/bin|tools\/package)\/|^server\/src\/(main|kernel\/programs)\.ts$|^(server\/|client\/)?package\.json$/;
/** Acceptance tests that start no program: they read pages and lists, or run commands that only a checkout has. */
export const CHECKOUT_ONLY =
  /^tests\/acceptance\/(docs|s3-conformance)\.test\.ts$|^tests\/acceptance\/(demo|docs)\.full\.ts$/;
const CORE_STORES =
  "jobs/(jobs|parking)|telemetry/(backpressure|embedded|feed/feed|kill-few|nodes|rows|snapshot|startup|sweep|compaction/.*|presence/presence|retention/(conditions|erasing|kill-few|quotas|retention|rules))|" +
  "objects/(kill-few|filesystem/(crash|filesystem|large)|s3/nodes)|" +
  "telemetry/query/(attacks|cancel|engine|hidden)|" +
  "metadata/(kill-few|postgres/(postgres|requirements)|sqlite/(readers|sqlite))";
const CORE_SURFACES =
  "(s3|registry|files)/quota|registry/(narrow-tokens|races)|portal/(sign-in-delays|operations/(password-reset|sign-in))|s3/security|api/operations/document|query/(records|send|operations/running-queries)|telemetry/(alert-changes|alert-rights|operations/(alerts|otlp-export)|syslog/server|tail/tails?|wire/(poison|pool))";

const BOTH_DATABASES =
  "audit/(audit|leaving)|idempotency/idempotency|identity/(identity|activity/activity|credentials/(adopt|kinds)|keys/keyring)|" +
  "moves/moves|organization-deletion/tables|organizations/organizations|projects/projects|requests/requests|quotas/quotas|" +
  "s3/(records|access/access|lifecycle/lifecycle|listings/listings|objects/objects|uploads/uploads)";

export const CORE_SECONDS_MAX = 20 * 60;

export const GROUPS: readonly Group[] = [
  {
    name: "core",
    seconds: 900,
    files: new RegExp(
      `${acceptance(CORE_ACCEPTANCE).source}|` +
        `^server/src/(stores/(${CORE_STORES})|surfaces/(${CORE_SURFACES})|app/(backup/backup|deletions|limits)|domain/(s3/objects/deletions/deletions|identity/(changes/feed|credentials/sign-in|keys/(rotation|signing-keys)|tokens/verify))|http/takes-all)\\.full\\.ts$|^tools/(borders|setup/setup|test-runner/runner|tidy)\\.full\\.ts$`,
    ),
  },
  {
    name: "databases",
    seconds: 180,
    files: new RegExp(
      `^server/src/(domain/(${BOTH_DATABASES})|stores/clock/guard|surfaces/organization/(custom-roles|orphans))\\.test\\.ts$`,
    ),
    again: "postgres",
  },
  {
    name: "portal",
    seconds: 720,
    files: /^tests\/portal\/(?!origins\.)/,
    about: /^portal\/|^server\/src\/(surfaces\/portal|domain\/people)\/|^tests\/portal\//,
  },
  {
    name: "access",
    seconds: 510,
    files: new RegExp(
      `${acceptance(ACCESS_ACCEPTANCE).source}|^tests/tasks/|^server/src/domain/identity/access/mutations\\.full\\.ts$`,
    ),
    about:
      /^(contract|portal)\/|^server\/src\/(domain\/(identity|organizations|people)|surfaces\/organization)\/|^tests\/tasks\//,
  },
  {
    name: "govern",
    seconds: 480,
    files: acceptance(GOVERN_ACCEPTANCE),
    about:
      /^server\/src\/(domain\/(identity|moves|organization-deletion|organizations|people|trash)|surfaces\/organization|app\/master-key.*)\//,
  },
  {
    name: "process",
    seconds: 480,
    files: new RegExp(
      `${acceptance(PROCESS_ACCEPTANCE).source}|^server/src/(app/(commands/scrub|key-command)|stores/outbound/proxy)\\.full\\.ts$`,
    ),
    about: /^server\/src\/(app|kernel|stores\/outbound)\//,
  },
  {
    name: "queries",
    seconds: 300,
    files:
      /^server\/src\/stores\/telemetry\/query\/(columnar-limits|condition|engine-streams|explain|gate\/arrows|latest|messages|normal|own-functions|pool|promoted|pruning|pushdown|severity|truncation)\.full\.ts$/,
    about: /^server\/src\/(stores\/telemetry\/query|surfaces\/query)\//,
  },
  {
    name: "commands",
    seconds: 300,
    files: acceptance(COMMANDS_ACCEPTANCE),
    about: /^(client|server\/(bin|src\/app\/commands))\/|^contract\/src\/commands/,
  },
  {
    name: "clients",
    seconds: 480,
    files: /^tests\/clients\//,
    about: /^server\/src\/(surfaces\/(s3|registry)|domain\/(s3|registry))\/|^tests\/clients\//,
  },
  {
    name: "conformance",
    seconds: 900,
    files: /^tests\/s3-conformance\/|^server\/src\/stores\/objects\/s3\/(?!nodes)/,
    about: /^server\/src\/(surfaces\/s3|domain\/s3|stores\/objects)\/|^tests\/s3-conformance\//,
  },
  {
    name: "kills",
    seconds: 2300,
    files: acceptance(KILLS_ACCEPTANCE),
    about:
      /^server\/src\/(domain\/(identity\/keys|idempotency|organization-deletion|alerts|delivery|moves|webhooks|registry|s3|files)|stores\/(archive|jobs))\//,
  },
  {
    name: "stores",
    seconds: 600,
    files: /^server\/src\/stores\/(objects\/kill|telemetry\/(kill|retention\/kill|query\/fuzz))\.full\.ts$/,
    about: /^server\/src\/stores\/(telemetry|objects)\//,
  },
  {
    name: "postgres",
    seconds: 1200,
    files: new RegExp(
      `${acceptance(POSTGRES_ACCEPTANCE).source}|^server/src/stores/objects/filesystem/postgres\\.full\\.ts$`,
    ),
    about: /^server\/src\/stores\/metadata\//,
  },
  {
    name: "races",
    seconds: 1200,
    files: new RegExp(`${acceptance(RACES_ACCEPTANCE).source}|^server/src/domain/s3/objects/race\\.full\\.ts$`),
    about: /^server\/src\/(domain\/s3|stores\/(jobs|clock))\//,
  },
  {
    name: "lists",
    seconds: 480,
    files: new RegExp(
      `${acceptance(LISTS_ACCEPTANCE).source}|^server/src/(app/lists|domain/s3/listings/prefixes)\\.full\\.ts$`,
    ),
    about: /^server\/src\/stores\/metadata\/|^contract\/src\//,
  },
  {
    name: "load",
    seconds: 540,
    oneAtATime: true,
    files: acceptance(LOAD_ACCEPTANCE),
    about: /^server\/src\/(http|surfaces\/(files|telemetry))\//,
  },
  {
    name: "files",
    seconds: 480,
    files: new RegExp(
      `${acceptance(FILES_ACCEPTANCE).source}|^server/src/(app/backup/runner|stores/repository/repository)\\.full\\.ts$`,
    ),
    about: /^server\/src\/(surfaces\/files|domain\/files|app\/backup|stores\/(archive|repository))\//,
  },
  {
    name: "loggers",
    seconds: 300,
    files: /^tests\/loggers\//,
    about: /^server\/src\/(domain\/telemetry|app\/commands\/ingest)\/|^tests\/loggers\//,
  },
  {
    name: "senders",
    seconds: 300,
    files: /^tests\/senders\/|^server\/src\/surfaces\/telemetry\/protocols\/hostile\.full\.ts$/,
    about: /^server\/src\/surfaces\/telemetry\/(protocols|operations|wire)\/|^tests\/senders\//,
  },
  {
    name: "webhook-senders",
    seconds: 240,
    files: /^server\/src\/domain\/webhooks\/senders\/sdk\.full\.ts$/,
    about: /^server\/src\/domain\/webhooks\/(senders|verification)\//,
  },
  {
    name: "proxies",
    seconds: 480,
    files: new RegExp(`^tests/proxies/|${acceptance("tls|reload").source}`),
    about: /^(server\/src\/(http|app\/tls)|tests\/proxies|docs\/how-to)\//,
  },
  {
    name: "api",
    seconds: 300,
    files: new RegExp(`${acceptance(API_ACCEPTANCE).source}|^tests/portal/origins\\.full\\.ts$`),
    about: /^(contract|client|openapi)\/|^server\/src\/(surfaces\/(api|files|webhooks)|domain\/webhooks)\//,
  },
  {
    name: "setup",
    seconds: 480,
    files: new RegExp(`${acceptance(SETUP_ACCEPTANCE).source}|^tests/setup/`),
    about: /^(docs|tools\/setup|server\/bin)\/|^(README\.md|package(-lock)?\.json)$/,
  },
  {
    name: "package",
    seconds: 480,
    files: /^tests\/package\//,
    about:
      /^(server\/(bin|src\/kernel)|client\/src|tools\/package)\/|^(server\/src\/main\.ts|docs\/start\.md)$|^(server\/|client\/)?package(-lock)?\.json$/,
  },
  {
    name: "package-acceptance",
    seconds: 900,
    files: new RegExp(
      `^tests/acceptance/[^/]+\\.test\\.ts$|${
        acceptance(
          [CORE_ACCEPTANCE, GOVERN_ACCEPTANCE, PROCESS_ACCEPTANCE, COMMANDS_ACCEPTANCE, ACCESS_ACCEPTANCE].join("|"),
        ).source
      }`,
    ),
    about: PACKAGING,
    again: "installed",
  },
  {
    name: "package-acceptance-load",
    seconds: 1500,
    oneAtATime: true,
    files: acceptance(
      `${LOAD_ACCEPTANCE}|${FILES_ACCEPTANCE}|${LISTS_ACCEPTANCE}|${API_ACCEPTANCE}|${SETUP_ACCEPTANCE}|tls|reload`,
    ),
    about: PACKAGING,
    again: "installed",
  },
  {
    name: "package-acceptance-postgres",
    seconds: 900,
    files: acceptance(`${POSTGRES_ACCEPTANCE}|${RACES_ACCEPTANCE}`),
    about: PACKAGING,
    again: "installed",
  },
  {
    name: "package-acceptance-kills",
    seconds: 900,
    files: acceptance(KILLS_ACCEPTANCE),
    about: PACKAGING,
    again: "installed",
  },
  {
    name: "package-senders",
    seconds: 360,
    files: /^tests\/senders\//,
    about: PACKAGING,
    again: "installed",
  },
  {
    name: "upgrade",
    seconds: 300,
    files: /^tests\/upgrade\//,
    about:
      /^server\/src\/stores\/metadata\/migrations\/|^server\/src\/app\/(backup|commands\/(upgrade|doctor\/.*|restore))|^tests\/previous-version\.json$/,
  },
  {
    name: "release",
    seconds: 480,
    files: /^tests\/release\//,
    about: /^tools\/(release|package|lock)\/|^tools\/release\.ts$|^package(-lock)?\.json$/,
  },
  {
    name: "image",
    seconds: 480,
    files: /^tests\/image\//,
    about:
      /^(tools\/(image|package)|tests\/image)\/|^package-lock\.json$|^server\/src\/stores\/telemetry\/query\/sandbox\.ts$/,
  },
  {
    name: "faults",
    seconds: 900,
    // The sandbox of another test's server may hold the disk that the page of a read-only disk unmounts.
    oneAtATime: true,
    files: /^tests\/faults\//,
    about: /^(docs\/how-to\/bad-days|server\/src\/kernel\/metrics|tests\/faults)\//,
  },
  {
    name: "deploy",
    seconds: 480,
    files: /^tests\/deploy\//,
    about: /^(deploy|tests\/deploy)\/|^server\/src\/stores\/telemetry\/query\/sandbox\.ts$/,
  },
];

/** Returns the names of the groups that run a file with the sources, or again in another way. */
export function groupsOf(path: string, again?: Again): string[] {
  if (again === "installed" && CHECKOUT_ONLY.test(path)) return [];
  return GROUPS.filter((group) => group.again === again && group.files.test(path)).map(({ name }) => name);
}

/** The groups that run with every change, after `npm test`. Together they take at most `CORE_SECONDS_MAX`. */
export const ALWAYS: readonly Group[] = GROUPS.filter(({ about }) => about === undefined);

/**
 * Returns the groups that do not always run, in the order of continuous integration: first those of the changed parts, then the
 * others, starting at another one each time.
 * @param turn the number of commits, which decides the start
 */
export function inTurn(changed: readonly string[], turn: number): Group[] {
  const rest = GROUPS.filter(({ about }) => about !== undefined);
  const from = turn % rest.length;
  const rotated = [...rest.slice(from), ...rest.slice(0, from)];
  const isConcerned = ({ about }: Group): boolean => about !== undefined && changed.some((path) => about.test(path));
  return [...rotated.filter(isConcerned), ...rotated.filter((group) => !isConcerned(group))];
}
