import type { ReactNode } from "react";
import type { NewIngestKey } from "~/access/ingest-keys.ts";
import { PendingSecretNote } from "~/access/pending.tsx";
import { useAddresses } from "~/api/addresses.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SecretDialog } from "~/kit/secret-dialog.tsx";

/** Shows a new or rotated ingest key, with the settings of OpenTelemetry. */
export function CreatedKey({ ingestKey, onClose }: { ingestKey: NewIngestKey; onClose: () => void }): ReactNode {
  const url = useAddresses()?.ingest_url ?? location.origin;
  const { key } = ingestKey;
  return (
    <SecretDialog
      title={`Secret of ${visibleText(ingestKey.name)}`}
      label="Ingest key"
      secret={key}
      another="Rotate the ingest key to get another one."
      onClose={onClose}
    >
      {ingestKey.pending && <PendingSecretNote noun="ingest key" />}
      {key !== null && (
        <>
          <p>For programs with OpenTelemetry. Other agents take the key as X-Api-Key, or as the password of Basic.</p>
          <CopyBlock
            text={[
              `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}/otlp`,
              `export OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${key}`,
              "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
            ].join("\n")}
          />
        </>
      )}
    </SecretDialog>
  );
}
