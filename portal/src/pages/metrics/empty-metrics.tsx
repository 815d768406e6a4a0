import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { TelemetryOutside } from "~/app/outside.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Empty } from "~/kit/page.tsx";

/** Shown when the range has no metrics. */
export function EmptyMetrics(): ReactNode {
  const addresses = useAddresses();
  const connect = useConnect();
  return (
    <Empty
      title="No metrics in this range"
      action={
        <Button look="main" onClick={() => connect({ topic: "telemetry" })}>
          Connect
        </Button>
      }
    >
      <TelemetryOutside table="metrics" page="metrics" />
      <p>
        A metric is a named number over time, with tags. Send one with this command, or set the endpoint of an
        OpenTelemetry exporter to <code>{addresses?.ingest_url ?? ""}/otlp</code>.
      </p>
      <CopyBlock
        text={[
          `curl -sS ${addresses?.ingest_url ?? "INGEST_URL"}/v1/ingest/metrics -H "Authorization: Bearer $TOKEN" \\`,
          `  -H 'Content-Type: application/json' -d '{"entries": [{"timestamp": "'$(date -u +%FT%TZ)'",`,
          `  "name": "queue_length", "value": 3, "tags": {"host": "'$(hostname)'"}}]}'`,
        ].join("\n")}
      />
    </Empty>
  );
}
