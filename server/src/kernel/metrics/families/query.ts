import type { Family } from "../family.ts";

export const SANDBOX_LAYERS = [
  "limits",
  "namespaces",
  "read-only files",
  "hidden data",
  "privileges",
  "memory watchdog",
] as const;

export const QUERY = {
  mooring_query_running: { type: "gauge", help: "Queries that run now" },
  mooring_query_sandbox_layer: {
    type: "gauge",
    help: "1 while a layer of the sandbox of queries is in force, 0 if this machine lacks it",
    labels: { layer: SANDBOX_LAYERS },
    alerts: [
      {
        name: "MooringSandboxLayerMissing",
        group: "security",
        expression: "mooring_query_sandbox_layer == 0",
        for: "10m",
        severity: "warning",
        summary: "The SQL sandbox on {{ $labels.instance }} lacks a layer",
        description:
          "The layer {{ $labels.layer }} is not in force. Statements are still checked and limited, but less isolated.",
        remedy:
          "A layer of the SQL sandbox is not in force. `mooring doctor` says why, for example because the container or the kernel forbids namespaces. `query_sandbox=require` refuses SQL until all layers are in force.",
        test: {
          bad: { 'mooring_query_sandbox_layer{layer="namespaces"}': "0x20" },
          good: { 'mooring_query_sandbox_layer{layer="namespaces"}': "1x20" },
          quietAt: "9m",
          firesAt: "11m",
          labels: { layer: "namespaces" },
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
