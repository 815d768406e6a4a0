import type { Orphans } from "@mooring/contract";
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { ImpactNote } from "./activity.tsx";
import { PlanNote, usePlan } from "./plan.tsx";
import { changedRows, type AccessItem, type AccessKind, type Revocation } from "./kind.ts";

interface RevokeProps<T extends AccessItem> {
  kind: AccessKind<T>;
  item: T;
  onClose: () => void;
}

/** Revokes an item. Before, it shows the recent use. After, it shows whether all nodes have applied the revocation. */
export function RevokeDialog<T extends AccessItem>({ kind, item, onClose }: RevokeProps<T>): ReactNode {
  const [choice, setChoice] = useState<Choice>({ orphans: "revoke", reason: undefined });
  const query = { orphans: choice.orphans, ...(choice.reason === undefined ? {} : { reason: choice.reason }) };
  const plan = usePlan(kind.rows.revoke, { params: { [kind.idParam]: item.id }, query } as never);
  const revoke = useRevocation(kind, item.id, { query, etag: plan.data?.etag ?? null });
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
          {kind.hasChildren && <Choices choice={choice} onChange={setChoice} />}
          <PlanNote plan={plan} />
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

interface Choice {
  readonly orphans: Orphans;
  readonly reason: "leak" | undefined;
}

/** Decides about the credentials for which it is responsible. After a leak they end, too. */
function Choices({ choice, onChange }: { choice: Choice; onChange: (choice: Choice) => void }): ReactNode {
  return (
    <>
      <Checkbox
        label="Its secret leaked"
        why="The credentials that it made may be an attacker's, so they end with it, and nobody can adopt them later."
        checked={choice.reason === "leak"}
        onChange={({ target }) => onChange({ orphans: "revoke", reason: target.checked ? "leak" : undefined })}
      />
      <Checkbox
        label="Adopt the credentials for which it is responsible"
        why="You become responsible for them, and they continue to work. Otherwise they end with it."
        checked={choice.orphans === "adopt"}
        disabled={choice.reason === "leak"}
        onChange={({ target }) => onChange({ ...choice, orphans: target.checked ? "adopt" : "revoke" })}
      />
    </>
  );
}

/** Measures only the successful request, not the time that the person needed to confirm their identity. */
function useRevocation<T extends AccessItem>(
  kind: AccessKind<T>,
  id: string,
  { query, etag }: { query: object; etag: string | null },
): UseMutationResult<Revocation, Error, void> {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  return useMutation({
    mutationFn: () =>
      confirmed(async () => {
        const startedMs = performance.now();
        const result: unknown = await client.call(kind.rows.revoke, {
          params: { [kind.idParam]: id },
          query,
          headers: { "If-Match": etag },
        } as never);
        return { result: result as Revocation["result"], tookMs: performance.now() - startedMs };
      }),
    onSuccess: async () => {
      await Promise.all(
        changedRows(kind).map(({ operationId }) => queries.invalidateQueries({ queryKey: [slug, operationId] })),
      );
    },
  });
}
