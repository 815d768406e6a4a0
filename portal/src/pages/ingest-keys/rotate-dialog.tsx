import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import type { IngestKey, NewIngestKey } from "~/access/ingest-keys.ts";
import { RotationWarnings, secondSecretText } from "~/access/rotation-warnings.tsx";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";

interface RotateProps {
  ingestKey: IngestKey;
  onRotated: (made: NewIngestKey) => void;
}

/** Opens the dialog that gives an ingest key a new secret. */
export function RotateButton({ ingestKey, onRotated }: RotateProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNotIn(ingestKey.project_id, "credentials:write");
  const done = (made: NewIngestKey): void => {
    setOpen(false);
    onRotated(made);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)} disabled={why !== undefined} title={why}>
        Rotate
      </Button>
      {isOpen && <RotateDialog ingestKey={ingestKey} onRotated={done} onClose={() => setOpen(false)} />}
    </>
  );
}

function RotateDialog({ ingestKey, onRotated, onClose }: RotateProps & { onClose: () => void }): ReactNode {
  const { id, name, project_id: projectId, secrets } = ingestKey;
  const rotate = useAct(ORGANIZATION_ROUTES.rotateIngestKey, {
    changes: [ORGANIZATION_ROUTES.listIngestKeys, ORGANIZATION_ROUTES.getIngestKey],
    onDone: onRotated,
  });
  return (
    <ReplaceDialog
      title={`Rotate ${visibleText(name)}`}
      projectId={projectId}
      about="The new secret is shown once. The limits stay the same."
      label="The old secret works for another"
      action="Rotate"
      upToMonth
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params: { key_id: id }, body: { overlap_seconds: seconds } })}
      onClose={onClose}
      consequence={(seconds) => (
        <RotationWarnings
          atOnce={seconds === 0 ? "Agents with the old secret are refused at once." : null}
          former={secondSecretText("key", secrets)}
        />
      )}
    />
  );
}
