import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import type { Credential, NewCredential } from "./credentials.ts";
import { RotationWarnings, secondSecretText } from "./rotation-warnings.tsx";

/** Creates a new secret. The old one works until the chosen time has passed. */
export function RotateDialog({
  credential,
  onRotated,
  onClose,
}: {
  credential: Credential;
  onRotated: (made: NewCredential) => void;
  onClose: () => void;
}): ReactNode {
  const rotate = useAct(ORGANIZATION_ROUTES.rotateCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential],
    onDone: onRotated,
  });
  return (
    <ReplaceDialog
      title={`Rotate ${credential.name}`}
      projectId={credential.project_id}
      about="The new secret is shown once. The client id and the permissions stay the same."
      label="The old secret works for another"
      action="Rotate"
      upToMonth
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) =>
        rotate.mutate({ params: { credential_id: credential.id }, body: { overlap_seconds: seconds } })
      }
      onClose={onClose}
      consequence={(seconds) => (
        <RotationWarnings
          atOnce={
            seconds === 0
              ? "The old secret and all issued tokens stop working at once. Programs that use them fail until they have the new secret."
              : null
          }
          former={secondSecretText("credential", credential.secrets)}
        />
      )}
    />
  );
}
