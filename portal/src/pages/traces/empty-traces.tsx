import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { TelemetryOutside } from "~/app/outside.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Empty } from "~/kit/page.tsx";

/** Shown when no trace matches the filters, or when there are none. */
export function EmptyTraces({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const addresses = useAddresses();
  const connect = useConnect();
  if (isFiltered) return <p className="p-5 text-ink-2">No trace matches these filters in this range.</p>;
  return (
    <Empty
      title="No traces in this range"
      action={
        <Button look="main" onClick={() => connect({ topic: "telemetry" })}>
          Connect
        </Button>
      }
    >
      <TelemetryOutside table="traces" page="traces" />
      <p>A trace shows one request, span by span. Any OpenTelemetry SDK sends traces with these settings.</p>
      <CopyBlock
        text={[
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${addresses?.ingest_url ?? "INGEST_URL"}/otlp`,
          `export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$TOKEN"`,
          "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ].join("\n")}
      />
    </Empty>
  );
}
