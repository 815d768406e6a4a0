import type { ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { State } from "~/kit/state.tsx";

/** Says that an item waits for approval. For people who may not approve, the button is disabled and says why. */
export function PendingNote({
  noun,
  projectId,
  busy,
  error,
  onApprove,
}: {
  /** `credential`, `S3 key`. */
  noun: string;
  projectId: string | null;
  busy: boolean;
  error: Error | null;
  onApprove: () => void;
}): ReactNode {
  const whyNotApprove = useWhyNotIn(projectId, "members:write");
  const whyNotWrite = useWhyNotIn(projectId, "credentials:write");
  const why = whyNotApprove ?? whyNotWrite;
  return (
    <section aria-label="Approval" className="flex flex-col gap-2 rounded border border-warn bg-warn-2 p-3">
      <State kind="warn">Waits for an approval</State>
      <p>
        The organization&apos;s policy requires it. Until then this {noun} has no permission. Check its permissions and
        addresses, then approve it. To refuse it, revoke it.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button look="main" busy={busy} disabled={why !== undefined} title={why} onClick={onApprove}>
          Approve
        </Button>
        {why !== undefined && <span className="text-s">{why}. Owners and admins approve.</span>}
      </div>
      <ErrorNote error={error} />
    </section>
  );
}

/** Shown with a new secret that does not work yet. */
export function PendingSecretNote({ noun }: { noun: string }): ReactNode {
  return (
    <p>
      <State kind="warn">
        <span className="whitespace-normal">
          It waits for an approval. Save the secret now, and ask an owner or admin to approve the {noun}.
        </span>
      </State>
    </p>
  );
}
