import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { ImpactNote } from "./activity.tsx";
import { changedRows, type AccessItem, type AccessKind, type Revocation } from "./kind.ts";

interface RevokeProps<T extends AccessItem> {
  kind: AccessKind<T>;
  item: T;
  onClose: () => void;
}

/** Revokes an item. Before, it shows the recent use. After, it shows whether all nodes have applied the revocation. */
export function RevokeDialog<T extends AccessItem>({ kind, item, onClose }: RevokeProps<T>): ReactNode {
  const revoke = useRevocation(kind, item.id);
  if (revoke.data !== undefined)
    return (
      <Dialog title={`${visibleText(item.name)} is revoked`} onClose={onClose}>
        <div role="status" className="flex flex-col gap-2">
          {kind.revokedNote(revoke.data)}
        </div>
        <DialogActions>
          <Button look="main" onClick={onClose}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <DangerDialog
      title={`Revoke ${visibleText(item.name)}`}
      projectId={item.project_id}
      about={
        <div className="flex flex-col gap-2">
          <ImpactNote kind={kind} id={item.id} />
          <p>{kind.revokeConsequence(item)} This cannot be undone.</p>
        </div>
      }
      type={isTypable(item.name) ? item.name : kind.identifierOf(item)}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  );
}

/** Measures only the successful request, not the time that the person needed to confirm their identity. */
function useRevocation<T extends AccessItem>(
  kind: AccessKind<T>,
  id: string,
): UseMutationResult<Revocation, Error, void> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: () =>
      confirmed(async () => {
        const startedMs = performance.now();
        const result: unknown = await client.call(kind.rows.revoke, { params: { [kind.idParam]: id } } as never);
        return { result: result as Revocation["result"], tookMs: performance.now() - startedMs };
      }),
    onSuccess: async () => {
      await Promise.all(
        changedRows(kind).map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })),
      );
    },
  });
}
