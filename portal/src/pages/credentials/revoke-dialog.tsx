import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useRef, useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { durationText } from "~/kit/figures.ts";
import { isTypable } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { ImpactNote } from "./activity.tsx";
import type { Credential } from "./types.ts";

/** Revokes: before, what will stop; after, whether every node applied it and how long that took. */
export function RevokeDialog({ credential, onClose }: { credential: Credential; onClose: () => void }): ReactNode {
  const startedMs = useRef(0);
  const [done, setDone] = useState<{ propagated: boolean; tookMs: number } | null>(null);
  const revoke = useAct(ORGANIZATION_ROUTES.revokeCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential],
    onDone: ({ propagated }) => setDone({ propagated, tookMs: performance.now() - startedMs.current }),
  });
  if (done !== null) return <Revoked name={credential.name} {...done} onClose={onClose} />;
  return (
    <DangerDialog
      title={`Revoke ${credential.name}`}
      about={
        <div className="flex flex-col gap-2">
          <ImpactNote id={credential.id} />
          <p>
            Its secrets and every token that it was given end at once, on every node, and so do credentials that it
            made. This can't be undone.
          </p>
        </div>
      }
      type={isTypable(credential.name) ? credential.name : credential.client_id}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => {
        startedMs.current = performance.now();
        revoke.mutate({ params: { credential_id: credential.id } });
      }}
      onClose={onClose}
    />
  );
}

function Revoked({
  name,
  propagated,
  tookMs,
  onClose,
}: {
  name: string;
  propagated: boolean;
  tookMs: number;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog title={`${name} is revoked`} onClose={onClose}>
      <div role="status">
        {propagated ? (
          <State kind="go">Applied on all nodes after {durationText(tookMs)}</State>
        ) : (
          <State kind="warn">
            <span className="whitespace-normal">
              A node has not said yet that it applied it. It does within a second once it reaches the database, and
              answers 503 until then.
            </span>
          </State>
        )}
      </div>
      <DialogActions>
        <Button look="main" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
