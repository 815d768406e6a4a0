import type { ReactNode } from "react";
import { useFirstProject } from "~/access/create-dialog.tsx";
import type { IngestKey, NewIngestKey } from "~/access/ingest-keys.ts";
import { Part } from "~/access/inspector.tsx";
import { AccessPage } from "~/access/page.tsx";
import { Secrets } from "~/access/secrets.tsx";
import { useProject } from "~/app/scope.ts";
import { ConnectButton } from "./connect-button.tsx";
import { CreateIngestKey } from "./create-dialog.tsx";
import { CreatedKey } from "./created-key.tsx";
import { INGEST_KEYS } from "./kind.tsx";
import { RotateButton } from "./rotate-dialog.tsx";

/** Keys that only send telemetry. */
export function Page(): ReactNode {
  const first = useFirstProject(useProject());
  return (
    <AccessPage<IngestKey, NewIngestKey>
      kind={INGEST_KEYS}
      title="Ingest keys"
      about="A key for one agent, which sends it with each request. It can only send telemetry."
      emptyAbout="With an ingest key, OpenTelemetry, Prometheus and other agents send telemetry without a token."
      emptyCommand="npx mooring ingest-key create --name collector"
      formParams={[]}
      form={({ onCreated, onClose }) => <CreateIngestKey project={first} onCreated={onCreated} onClose={onClose} />}
      secret={(created, onClose) => <CreatedKey ingestKey={created} onClose={onClose} />}
      idOf={({ id }) => id}
      buttons={(key, onSecret) => (
        <>
          <ConnectButton ingestKey={key} />
          <RotateButton ingestKey={key} onRotated={onSecret} />
        </>
      )}
      parts={({ secrets }) => (
        <Part title="Secrets">
          <Secrets secrets={secrets} />
        </Part>
      )}
    />
  );
}
