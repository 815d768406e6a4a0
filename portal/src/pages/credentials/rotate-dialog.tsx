import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import { State } from "~/kit/state.tsx";
import type { Credential, NewCredential } from "./types.ts";

/** Makes a new secret; the old one goes on for as long as it takes to put the new one everywhere. */
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
      about="A new secret is made and shown once. The client id and the permissions stay."
      label="The present secret goes on working for"
      action="Make a new secret"
      upToMonth
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) =>
        rotate.mutate({ params: { credential_id: credential.id }, body: { overlap_seconds: seconds } })
      }
      onClose={onClose}
      consequence={(seconds) => (
        <>
          {seconds === 0 && (
            <State kind="warn">
              <span className="whitespace-normal">
                The present secret and every token that was issued end at once: what uses them fails until it has the
                new one.
              </span>
            </State>
          )}
          {credential.secrets.length > 1 && (
            <State kind="warn">
              <span className="whitespace-normal">
                It has two secrets already. The older one, ending in <code>{credential.secrets.at(-1)?.hint}</code>,
                ends now.
              </span>
            </State>
          )}
        </>
      )}
    />
  );
}
