import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { durationText } from "~/kit/figures.ts";
import { isTypable } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { ImpactNote } from "./activity.tsx";
import type { Credential } from "./types.ts";

/** Revokes: before, what will stop; after, whether every node applied it and how long that took. */
export function RevokeDialog({ credential, onClose }: { credential: Credential; onClose: () => void }): ReactNode {
  const revoke = useRevocation(credential.id);
  const done = revoke.data;
  if (done !== undefined) return <Revoked name={credential.name} {...done} onClose={onClose} />;
  return (
    <DangerDialog
      title={`Revoke ${credential.name}`}
      projectId={credential.project_id}
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
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  );
}

interface Revocation {
  readonly propagated: boolean;
  readonly tookMs: number;
}

/** Measures the attempt that did it, and not how long somebody took to prove who they are before it. */
function useRevocation(id: string): UseMutationResult<Revocation, Error, void> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: () =>
      confirmed(async () => {
        const startedMs = performance.now();
        const { propagated } = await client.call(ORGANIZATION_ROUTES.revokeCredential, {
          params: { credential_id: id },
        });
        return { propagated, tookMs: performance.now() - startedMs };
      }),
    onSuccess: async () => {
      const changed = [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential];
      await Promise.all(changed.map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })));
    },
  });
}

function Revoked({ name, propagated, tookMs, onClose }: Revocation & { name: string; onClose: () => void }): ReactNode {
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
