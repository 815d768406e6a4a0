/** deploy/prometheus and deploy/grafana: Debian's Prometheus scrapes a server by them, and runs every rule and every query. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { postgresUrl } from "../fixtures/databases.ts";
import { queriesFor, readDashboard, type Panel } from "../fixtures/grafana.ts";
import { postgresMissing } from "../fixtures/postgres-server.ts";
import { eventually } from "../fixtures/process.ts";
import { missingPrometheus, promtool, startPrometheus, type Prometheus, type Series } from "../fixtures/prometheus.ts";
import { exposedMetrics, metricsOf } from "../fixtures/promql.ts";
import { startServer, writeLog, type Bootstrap, type Server } from "../fixtures/server.ts";
import { startTcpProxy } from "../fixtures/tcp-proxy.ts";
import { logEntry } from "../fixtures/telemetry.ts";
import { renderRules } from "../../tools/generate/alert-rules.ts";
import { GENERATED_FROM } from "../../tools/generate/dashboard.ts";
import { documentsOf, missingYaml } from "../fixtures/yaml.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const RULES = pathOf("deploy/prometheus/alerts.yaml");
const EXAMPLE = pathOf("deploy/prometheus/prometheus.yaml");
const UNIT_TESTS = pathOf("tests/deploy/alerts.test.yaml");
const PAGE = "docs/reference/server-alerts.md";
/** Grafana divides a row into this many columns. */
const COLUMNS = 24;
const SETTINGS = { metrics_listen: "127.0.0.1:0", own_telemetry_organization: "acme" };
/** These alerts depend on states of the server only, and not on the load or the disk of this machine. */
const QUIET = /^Mooring(Down|NotScraped|RecordsUnreachable|.*NotWritable|DeletionsHeld|JobsParked)$/;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** A rule as Prometheus has it. */
interface LoadedRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly lastEvaluation: string;
  readonly state: string;
}

function rules(): Rule[] {
  const [file] = documentsOf<{ groups: { rules: Rule[] }[] }>(readFileSync(RULES, "utf8"));
  return (file?.groups ?? []).flatMap((group) => group.rules);
}

function metricsUrl(server: Server): string {
  return /^\s*metrics\s+(http:\S+)$/m.exec(server.stdout())?.[1] ?? assert.fail(server.stdout());
}

/** Starts Prometheus by the example, with the server's address, and each second instead of each 15. */
async function watch(server: Server, directory: string): Promise<Prometheus> {
  const configuration = join(directory, "prometheus.yaml");
  const { host } = new URL(metricsUrl(server));
  const text = readFileSync(EXAMPLE, "utf8").replaceAll("15s", "1s").replace("127.0.0.1:9464", host);
  writeFileSync(configuration, text.replace("- alerts.yaml", `- ${JSON.stringify(RULES)}`));
  const checked = promtool("check", "config", configuration);
  assert.equal(checked.status, 0, checked.text);
  return startPrometheus(configuration, directory);
}

async function loadedRules(prometheus: Prometheus): Promise<LoadedRule[]> {
  const { groups } = await prometheus.get<{ groups: { rules: LoadedRule[] }[] }>("rules");
  return groups.flatMap((group) => group.rules);
}

async function stateOf(prometheus: Prometheus, name: string): Promise<string | undefined> {
  return (await loadedRules(prometheus)).find((rule) => rule.name === name)?.state;
}

const skip = missingPrometheus() || missingYaml();

describe("the files", { skip }, () => {
  test("promtool accepts rules and example, and each alert fires in time, and only then", () => {
    const faster = join(mkdtempSync(join(tmpdir(), "mooring-rules-")), "faster.yaml");
    writeFileSync(faster, renderRules(30));
    const words = [
      ["check", "rules", RULES],
      ["check", "rules", faster],
      ["check", "config", EXAMPLE],
      ["test", "rules", UNIT_TESTS],
    ];
    for (const each of words) {
      const { status, text } = promtool(...each);
      assert.equal(status, 0, `promtool ${each.join(" ")}: ${text}`);
    }
    rmSync(dirname(faster), { recursive: true });
  });

  test("each alert has a test in which it fires, and one in which it does not", () => {
    interface Case {
      readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
    }
    const [file] = documentsOf<{ tests: Case[] }>(readFileSync(UNIT_TESTS, "utf8"));
    const cases = (file?.tests ?? []).flatMap((each) => each.alert_rule_test);
    for (const { alert } of rules()) {
      const counts = cases.filter((each) => each.alertname === alert).map((each) => (each.exp_alerts ?? []).length);
      assert.ok(counts.includes(0) && counts.some((count) => count > 0), `${alert}: ${counts.join()}`);
    }
  });

  test("each alert has a time, a severity, texts, and a section of the page", () => {
    const headings = new Set(
      [...readFileSync(pathOf(PAGE), "utf8").matchAll(/^### (.+)$/gm)].map(([, title = ""]) => title),
    );
    for (const { alert, labels, annotations, for: duration } of rules()) {
      assert.match(duration, /^\d+[smh]$/, alert);
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.ok(annotations.summary !== "" && annotations.description.endsWith("."), alert);
      const page = annotations.runbook_url;
      assert.ok(page === `${PAGE}#${alert.toLowerCase()}` || existsSync(pathOf(page)), page);
      assert.ok(headings.delete(alert), `${PAGE} has a section ${alert}`);
    }
    assert.deepEqual([...headings], [], "sections about alerts that do not exist");
  });

  test("panels of the dashboard have own numbers, do not overlap, and use the chosen data source", () => {
    const { panels, templating } = readDashboard();
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const cells = new Set<string>();
    for (const panel of panels) assertPlaced(panel, cells);
    for (const { title, type, datasource, description, targets = [] } of panels) {
      if (type === "row") continue;
      assert.ok(targets.length > 0 && (description ?? "") !== "", title);
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        assert.deepEqual(source, { type: "prometheus", uid: "${datasource}" }, title);
    }
    assert.deepEqual(
      templating.list.map(({ name, type }) => [name, type]),
      [
        ["datasource", "datasource"],
        ["instance", "query"],
      ],
    );
  });
});

function assertPlaced({ title, gridPos: { x, y, w, h } }: Panel, cells: Set<string>): void {
  assert.ok(w > 0 && h > 0 && x >= 0 && x + w <= COLUMNS, title);
  for (let column = x; column < x + w; column++)
    for (let line = y; line < y + h; line++) {
      assert.ok(!cells.has(`${column} ${line}`), `${title} overlaps`);
      cells.add(`${column} ${line}`);
    }
}

describe("a server that Prometheus scrapes", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-monitoring-"));
  let server: Server;
  let home: Bootstrap;
  let prometheus: Prometheus;
  before(async () => {
    server = await startServer({ settings: SETTINGS });
    home = await server.bootstrap();
    prometheus = await watch(server, directory);
  });
  after(async () => {
    await prometheus?.stop();
    await server?.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  test("the target is up", async () => {
    const [target] = await eventually("a scrape", async () => {
      const { activeTargets } = await prometheus.get<{ activeTargets: { health: string; lastError: string }[] }>(
        "targets",
      );
      return (activeTargets[0]?.health ?? "unknown") === "unknown" ? null : activeTargets;
    });
    assert.deepEqual([target?.health, target?.lastError], ["up", ""]);
  });

  test("every rule is evaluated without an error, and a healthy server has no alert", async () => {
    const isDone = (rule: LoadedRule): boolean =>
      !rule.lastEvaluation.startsWith("0001") && (rule.state === "inactive" || !QUIET.test(rule.name));
    const loaded = await eventually("the rules to be evaluated", async () => {
      const all = await loadedRules(prometheus);
      return all.length > 0 && all.every(isDone) ? all : null;
    });
    const names = loaded.map(({ name }) => name);
    assert.deepEqual(new Set(names), new Set(rules().map(({ alert }) => alert)));
    for (const { name, health, lastError } of loaded) assert.deepEqual([health, lastError], ["ok", undefined], name);
  });

  test("every query of the dashboard answers with numbers, for this server and no other", async (context) => {
    const { host } = new URL(metricsUrl(server));
    const token = await server.token(home.credential);
    const board = readDashboard();
    const queries = queriesFor({ ...board, panels: board.panels.filter(({ id }) => id < GENERATED_FROM) }, host);
    let missing: string[] = [];
    const hasAll = async (): Promise<true | null> => {
      await requestEachSurface(server, home, token);
      const answers = await Promise.all(queries.map(({ query }) => prometheus.query(query)));
      missing = queries.flatMap(({ title, query }, i) => (hasNumber(answers[i] ?? []) ? [] : [`${title}: ${query}`]));
      return missing.length === 0 ? true : null;
    };
    await eventually("every query to have a number", hasAll, 60_000, 500).catch((error: unknown) => {
      writeLog(server);
      assert.fail(`${(error as Error).message}\n${missing.join("\n")}`);
    });
    for (const { title, query } of queriesFor(readDashboard(), "another:9464"))
      assert.deepEqual(await prometheus.query(query), [], `${title} depends on the chosen server`);
    // Those that are generated from the table may wait for an event.
    for (const { title, query } of queriesFor(board, host)) assert.ok(await prometheus.query(query), title);
    context.diagnostic(`${queries.length} queries`);
  });

  test("requests have the surface that answered them", async () => {
    const expected = ["health", ...SURFACES.map(([name]) => name)].toSorted((a, b) => a.localeCompare(b)).join();
    await eventually(`these surfaces: ${expected}`, async () => {
      const series = await prometheus.query("count by (surface) (mooring_http_requests_total)");
      const surfaces = series.map(({ metric }) => metric["surface"] ?? "");
      return surfaces.toSorted((a, b) => a.localeCompare(b)).join() === expected ? true : null;
    });
  });

  test("the list of servers is that of the targets", async () => {
    const { definition = "" } = readDashboard().templating.list.find(({ name }) => name === "instance") ?? {};
    const [, match = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? assert.fail(definition);
    const values = await prometheus.get<string[]>(`label/${label}/values`, { "match[]": match });
    assert.deepEqual(values, [new URL(metricsUrl(server)).host]);
  });

  test("rules and dashboard read metrics that exist, and each metric of the product is in one of them", async () => {
    const exposed = exposedMetrics(await (await fetch(metricsUrl(server))).text());
    const queries = queriesFor(readDashboard(), "any").map(({ query }) => query);
    const used = new Set([...queries, ...rules().map(({ expr }) => expr)].flatMap(metricsOf));
    assert.deepEqual(
      [...used].filter((name) => name !== "up" && !exposed.has(name)),
      [],
      "metrics that the server does not have",
    );
    assert.deepEqual(
      [...exposed]
        .filter((name) => name.startsWith("mooring_") && !used.has(name.replace(/_(sum|count)$/, "_bucket")))
        .filter((name) => !used.has(name)),
      [],
      "metrics that neither a rule nor a panel reads",
    );
  });

  test("the check of names finds a metric that does not exist", () => {
    const names = metricsOf(
      'sum by (le, no_label) (rate(no_such_total{a="no_text"}[5m])) / on (b) no_gauge > 0.5 or up',
    );
    assert.deepEqual(names, ["no_such_total", "no_gauge", "up"]);
    const text = "# TYPE a_total counter\na_total 1\n# TYPE b histogram\n";
    assert.deepEqual([...exposedMetrics(text)], ["a_total", "b_bucket", "b_sum", "b_count"]);
  });

  test("a server that stops raises MooringDown", async () => {
    await server.stop();
    const isPending = async (): Promise<true | null> =>
      (await stateOf(prometheus, "MooringDown")) === "pending" ? true : null;
    await eventually("the alert to wait for its time", isPending);
  });
});

function hasNumber(series: readonly Series[]): boolean {
  return series.some(({ value }) => Number.isFinite(Number(value[1])));
}

/** A request to each surface, with the status of its answer. Those of the registry and of S3 have no credential. */
const SURFACES: readonly (readonly [name: string, method: string, path: string, status: number, json?: object])[] = [
  ["alerts", "GET", "/v1/alerts", 200],
  ["api", "GET", "/openapi.json", 200],
  ["buckets", "GET", "/v1/buckets/APP", 200],
  ["files", "GET", "/v1/files", 200],
  ["other", "GET", "/no-such-path", 404],
  ["oauth", "GET", "/.well-known/jwks.json", 200],
  ["organization", "GET", "/v1/organization", 200],
  ["portal", "GET", "/sign-in", 200],
  ["query", "POST", "/v1/query", 200, { sql: "SELECT count(*) FROM logs" }],
  ["registry", "GET", "/v2/", 401],
  ["s3", "GET", "/", 403],
  ["telemetry", "POST", "/v1/ingest/logs", 202, { entries: [logEntry("watched")] }],
  ["webhooks", "GET", "/v1/webhooks", 200],
];

async function requestEachSurface(server: Server, home: Bootstrap, token: string): Promise<void> {
  for (const [name, method, path, status, json] of SURFACES) {
    const isPublic = ["registry", "s3"].includes(name);
    const address = name === "s3" ? home.addresses["s3_endpoint"] : server.origin;
    const answer = await fetch(`${address}${path.replace("APP", home.app.id)}`, {
      method,
      headers: { "content-type": "application/json", ...(isPublic ? {} : { authorization: `Bearer ${token}` }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    assert.equal(answer.status, status, `${name}: ${await answer.text()}`);
  }
}

describe("a server that loses its database", { skip: skip || (postgresMissing() ?? false) }, () => {
  test("still serves its metrics, and raises MooringRecordsUnreachable and not MooringDown", async () => {
    const directory = mkdtempSync(join(tmpdir(), "mooring-monitoring-"));
    const url = new URL(await postgresUrl("monitoring"));
    const way = await startTcpProxy(Number(url.port));
    url.port = String(way.port);
    const environment = { MOORING_DATABASE_URL: url.href };
    const server = await startServer({ database: "sqlite", settings: SETTINGS, environment });
    const prometheus = await watch(server, directory);
    try {
      const becomes = (name: string, state: string): Promise<true> =>
        eventually(`${name} to be ${state}`, async () => ((await stateOf(prometheus, name)) === state ? true : null));
      await becomes("MooringRecordsUnreachable", "inactive");
      await way.cut();
      await becomes("MooringRecordsUnreachable", "pending");
      assert.equal(await stateOf(prometheus, "MooringDown"), "inactive");
      await way.restore();
      await becomes("MooringRecordsUnreachable", "inactive");
    } finally {
      await prometheus.stop();
      await server.dispose();
      await way.cut();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
