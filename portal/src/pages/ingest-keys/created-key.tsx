import type { ReactNode } from "react";
import type { NewIngestKey } from "~/access/ingest-keys.ts";
import { PendingSecretNote } from "~/access/pending.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { AgentSetup } from "./agent-setup.tsx";

/** Shows a new or rotated ingest key, with ready configurations of agents. */
export function CreatedKey({ ingestKey, onClose }: { ingestKey: NewIngestKey; onClose: () => void }): ReactNode {
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
      {key !== null && <AgentSetup ingestKey={ingestKey} secret={key} />}
    </SecretDialog>
  );
}
