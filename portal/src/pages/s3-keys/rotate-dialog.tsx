import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { RotationWarnings } from "~/access/rotation-warnings.tsx";
import type { NewS3Key, S3Key } from "~/access/s3-keys.ts";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";

interface RotateProps {
  s3Key: S3Key;
  onRotated: (made: NewS3Key) => void;
}

/** Opens the dialog that gives a key a new access key ID and secret. */
export function RotateButton({ s3Key, onRotated }: RotateProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNotIn(s3Key.project_id, "credentials:write");
  return (
    <>
      <Button onClick={() => setOpen(true)} disabled={why !== undefined} title={why}>
        Rotate
      </Button>
      {isOpen && (
        <RotateDialog
          s3Key={s3Key}
          onRotated={(made) => {
            setOpen(false);
            onRotated(made);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function RotateDialog({ s3Key, onRotated, onClose }: RotateProps & { onClose: () => void }): ReactNode {
  const rotate = useAct(ORGANIZATION_ROUTES.rotateS3Key, {
    changes: [ORGANIZATION_ROUTES.listS3Keys, ORGANIZATION_ROUTES.getS3Key],
    onDone: onRotated,
  });
  return (
    <ReplaceDialog
      title={`Rotate ${visibleText(s3Key.name)}`}
      projectId={s3Key.project_id}
      about="The key gets a new access key ID and secret, which is shown once. Its permissions and limits stay the same."
      label="The old access key ID works for another"
      action="Rotate"
      upToMonth
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params: { key_id: s3Key.id }, body: { overlap_seconds: seconds } })}
      onClose={onClose}
      consequence={(seconds) => (
        <RotationWarnings
          atOnce={seconds === 0 ? "Requests and presigned URLs with the old access key ID are refused at once." : null}
          former={
            s3Key.former === null ? null : (
              <>
                An older access key ID, <code>{s3Key.former.access_key_id}</code>, still works. It ends now.
              </>
            )
          }
        />
      )}
    />
  );
}
