import type { ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { State } from "~/kit/state.tsx";

/** That something waits for an approval, and the button that gives it; grey, with the reason, for who can't. */
export function PendingNote({
  what,
  projectId,
  busy,
  error,
  onApprove,
}: {
  /** `credential`, `key`. */
  what: string;
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
        The organization&apos;s policy asks for one. Until then this {what} may do nothing; look at what it may do and
        from where, then approve it, or revoke it to refuse it.
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
