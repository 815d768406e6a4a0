/** deploy/chart by the real helm: lint, templates, and settings that the server accepts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { mooring } from "../fixtures/process.ts";
import { documentsOf, missingYaml } from "../fixtures/yaml.ts";

const CHART = fileURLToPath(new URL("../../deploy/chart", import.meta.url));
const ALERTS = fileURLToPath(new URL("../../deploy/prometheus/alerts.yaml", import.meta.url));
const MANIFEST = fileURLToPath(new URL("../../server/package.json", import.meta.url));
const HELM = process.env["MOORING_TEST_HELM"] ?? "helm";
/** A helm that was built by Go alone knows no version of Kubernetes. */
const KUBERNETES = ["--kube-version", "1.30.0"];

const directory = mkdtempSync(join(tmpdir(), "mooring-chart-"));
after(() => rmSync(directory, { recursive: true }));

function helm(...words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: directory };
  return spawnSync(HELM, words, { encoding: "utf8", env });
}

const skip =
  (helm("version").status === 0
    ? false
    : "THE CHART IS NOT CHECKED: put helm on the PATH, or set MOORING_TEST_HELM to its path") || missingYaml();

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

interface Pod {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [Container];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly readinessProbe: { readonly httpGet: object };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

/** The resources with these values. */
function render(values: object = {}): Resource[] {
  const file = join(directory, "values.json");
  writeFileSync(file, JSON.stringify(values));
  const { status, stdout, stderr } = helm("template", "here", CHART, "--values", file, ...KUBERNETES);
  assert.equal(status, 0, stderr);
  return documentsOf<Resource>(stdout);
}

function named(resources: readonly Resource[], kind: string): Resource {
  return resources.find((each) => each.kind === kind) ?? assert.fail(`no ${kind}`);
}

function podOf(resources: readonly Resource[]): Pod {
  const { template } = named(resources, "StatefulSet").spec as { template: { spec: Pod } };
  return template.spec;
}

describe("the chart", { skip }, () => {
  test("helm finds no fault", () => {
    const { status, stdout } = helm("lint", "--strict", CHART);
    assert.equal(status, 0, stdout);
  });

  test("its version and image are those of the package", () => {
    const { version } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };
    const [chart] = documentsOf<{ version: string; appVersion: string }>(
      readFileSync(join(CHART, "Chart.yaml"), "utf8"),
    );
    assert.deepEqual([chart?.version, chart?.appVersion], [version, version]);
    assert.equal(podOf(render()).containers[0].image, `mooring:${version}`);
  });

  test("the pod has no privilege, no token of the cluster, and no variables of services", () => {
    const pod = podOf(render());
    assert.deepEqual([pod.enableServiceLinks, pod.automountServiceAccountToken], [false, false]);
    assert.deepEqual(pod.securityContext["seccompProfile"], { type: "RuntimeDefault" });
    assert.deepEqual([pod.securityContext["runAsNonRoot"], pod.securityContext["runAsUser"]], [true, 10001]);
    const { securityContext } = pod.containers[0];
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("the server accepts the settings that the chart writes", async () => {
    const values = {
      address: "https://mooring.example.com",
      s3Address: "https://s3.example.com",
      settings: { log_level: "warn" },
    };
    const { data = {} } = named(render(values), "ConfigMap");
    const file = join(directory, "mooring.json");
    writeFileSync(file, data["mooring.json"] ?? "");
    const { code, stdout, stderr } = await mooring(["config", "print", "--json", "--config", file]);
    assert.equal(code, 0, stderr);
    const settings = JSON.parse(stdout) as Record<string, { value: unknown }>;
    assert.equal(settings["log_level"]?.value, "warn");
    assert.equal(settings["registry_domain"]?.value, "mooring.example.com");
    for (const name of ["portal_url", "identity_url", "ingest_url", "query_url", "storage_url", "webhooks_url"])
      assert.equal(settings[name]?.value, values.address, name);
    assert.equal(settings["s3_endpoint"]?.value, values.s3Address);
  });

  test("secrets are files of existing Secrets, named by variables", () => {
    const secrets = { database_url: { secret: "records", key: "url" }, master_key: { secret: "keys", key: "master" } };
    const pod = podOf(render({ secrets }));
    const [{ env, volumeMounts }] = pod.containers;
    const { mountPath = "" } = volumeMounts.find(({ name }) => name === "secrets") ?? {};
    for (const name of Object.keys(secrets)) {
      const variable = env.find((each) => each.name === `MOORING_${name.toUpperCase()}_FILE`);
      assert.equal(variable?.value, `${mountPath}/${name}`);
    }
    const volume = pod.volumes.find(({ name }) => name === "secrets")?.["projected"] as { sources: unknown[] };
    assert.deepEqual(volume.sources[0], { secret: { name: "records", items: [{ key: "url", path: "database_url" }] } });
    const wrong = helm("template", "here", CHART, "--set", "secrets.master_key.key=a", ...KUBERNETES);
    assert.notEqual(wrong.status, 0);
    assert.match(wrong.stderr, /secrets\.master_key needs the name of a Secret/);
  });

  test("the service has the four ports of the container", () => {
    const resources = render();
    const { ports } = named(resources, "Service").spec as { ports: { port: number; targetPort: string }[] };
    const byName = Object.fromEntries(
      podOf(resources).containers[0].ports.map(({ name, containerPort }) => [name, containerPort]),
    );
    assert.deepEqual(
      ports.map(({ port, targetPort }) => [port, byName[targetPort]]),
      [
        [8080, 8080],
        [9000, 9000],
        [4317, 4317],
        [9464, 9464],
      ],
    );
  });

  test("an ingress leads to the portal and to S3, with a certificate", () => {
    assert.ok(!render().some(({ kind }) => kind === "Ingress"));
    const ingress = {
      enabled: true,
      className: "nginx",
      host: "mooring.example.com",
      s3Host: "s3.example.com",
      tlsSecret: "certificate",
    };
    const { spec } = named(render({ ingress }), "Ingress");
    const rules = spec["rules"] as {
      host: string;
      http: { paths: { backend: { service: { port: { name: string } } } }[] };
    }[];
    assert.deepEqual(
      rules.map(({ host, http }) => [host, http.paths[0]?.backend.service.port.name]),
      [
        ["mooring.example.com", "http"],
        ["s3.example.com", "s3"],
      ],
    );
    assert.deepEqual(spec["tls"], [{ secretName: "certificate", hosts: ["mooring.example.com", "s3.example.com"] }]);
  });

  test("data is on a claimed volume, or goes with the pod", () => {
    const claims = named(render(), "StatefulSet").spec["volumeClaimTemplates"] as {
      spec: { resources: { requests: object } };
    }[];
    assert.deepEqual(claims[0]?.spec.resources.requests, { storage: "20Gi" });
    const pod = podOf(render({ persistence: { enabled: false } }));
    assert.deepEqual(
      pod.volumes.find(({ name }) => name === "data"),
      { name: "data", emptyDir: {} },
    );
  });

  test("monitoring is the ServiceMonitor of the service, and the alerts of deploy/prometheus", () => {
    const kinds = ["ServiceMonitor", "PrometheusRule"];
    assert.ok(!render().some(({ kind }) => kinds.includes(kind)));
    const resources = render({ monitoring: { enabled: true, labels: { release: "prometheus" } } });
    for (const kind of kinds) assert.equal(named(resources, kind).metadata.labels["release"], "prometheus");
    const { spec } = named(resources, "ServiceMonitor");
    const { labels } = named(resources, "Service").metadata;
    const { matchLabels } = spec["selector"] as { matchLabels: Record<string, string> };
    for (const [name, value] of Object.entries(matchLabels)) assert.equal(labels[name], value, name);
    assert.equal(labels[String(spec["jobLabel"])], "mooring", "the job of the alerts");
    assert.deepEqual(spec["endpoints"], [{ port: "metrics", interval: "15s" }]);
    const [alerts] = documentsOf<object>(readFileSync(ALERTS, "utf8"));
    assert.deepEqual(named(resources, "PrometheusRule").spec, alerts);
  });

  test("with a certificate in the settings, probes speak TLS", () => {
    const settings = { tls_cert: "/tls/tls.crt", tls_key: "/tls/tls.key" };
    assert.deepEqual(podOf(render({ settings })).containers[0].readinessProbe.httpGet, {
      path: "/readyz",
      port: "http",
      scheme: "HTTPS",
    });
  });
});
