import { USER_ID } from "./base.ts";
import type { Layer } from "./layout.ts";

const DATA = "/var/lib/mooring";
const NODE = "/usr/bin/node";
const PROGRAM = "/usr/lib/mooring/bin/mooring.mjs";
const SECOND_NS = 1e9;

export interface ConfigFacts {
  readonly architecture: string;
  readonly version: string;
  readonly commit: string | null;
  readonly created: string;
  readonly node: string;
  readonly debian: string;
  readonly layers: readonly (Layer & { readonly what: string })[];
}

/** The image's configuration. `Healthcheck` is Docker's addition to OCI's form; others ignore it. */
export function imageConfig(facts: ConfigFacts): object {
  const { architecture, created, layers } = facts;
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${USER_ID}:${USER_ID}`,
      ExposedPorts: { "8080/tcp": {}, "9000/tcp": {}, "4317/tcp": {}, "9464/tcp": {} },
      Env: [
        "PATH=/usr/local/bin:/usr/bin:/bin",
        `MOORING_DATA_DIR=${DATA}`,
        "MOORING_LISTEN=0.0.0.0:8080",
        "MOORING_S3_LISTEN=0.0.0.0:9000",
        "MOORING_OTLP_GRPC_LISTEN=0.0.0.0:4317",
        "MOORING_METRICS_LISTEN=0.0.0.0:9464",
      ],
      Entrypoint: [NODE, PROGRAM],
      Cmd: ["serve"],
      Volumes: { [DATA]: {} },
      WorkingDir: DATA,
      StopSignal: "SIGTERM",
      Labels: labels(facts),
      Healthcheck: {
        Test: ["CMD", NODE, PROGRAM, "healthcheck"],
        Interval: 30 * SECOND_NS,
        Timeout: 10 * SECOND_NS,
        StartPeriod: 60 * SECOND_NS,
        Retries: 3,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ what }) => ({ created, created_by: what })),
  };
}

/** Labels of the image, and annotations of its manifest. */
export function labels(
  facts: Pick<ConfigFacts, "version" | "commit" | "created" | "node" | "debian">,
): Record<string, string> {
  const name = (each: string): string => `org.opencontainers.image.${each}`;
  return {
    [name("title")]: "Mooring",
    [name("description")]: "One self-hosted process for what an organization's apps need from a platform",
    [name("version")]: facts.version,
    ...(facts.commit === null ? {} : { [name("revision")]: facts.commit }),
    [name("created")]: facts.created,
    [name("licenses")]: "Apache-2.0",
    [name("base.name")]: `debian:${facts.debian}`,
    "mooring.node.version": facts.node,
  };
}
