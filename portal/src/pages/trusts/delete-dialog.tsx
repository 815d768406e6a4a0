import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Trust } from "./types.ts";

interface DeleteProps {
  trust: Trust;
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes a trust. It says before which jobs will be refused. */
export function DeleteDialog({ trust, onDeleted, onClose }: DeleteProps): ReactNode {
  const say = useSay();
  const remove = useAct(ORGANIZATION_ROUTES.deleteTrust, {
    changes: [ORGANIZATION_ROUTES.listTrusts],
    onDone: () => {
      say("The trust is deleted");
      onDeleted();
    },
  });
  return (
    <DangerDialog
      title="Delete this trust"
      type={isTypable(trust.name) ? trust.name : "delete"}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { trust_id: trust.id }, purpose: "delete the trust" })}
      about={
        <div className="flex flex-col gap-2">
          <p>
            Jobs that match <code>{visibleText(trust.subject)}</code> will get no more tokens of{" "}
            <ForeignText text={trust.credential.name} />. Their current tokens stop working within a second. Tokens from
            the credential's secret or its other trusts stay valid.
          </p>
          <p>
            Last used: <Time at={trust.last_used_at} />
          </p>
        </div>
      }
    />
  );
}
