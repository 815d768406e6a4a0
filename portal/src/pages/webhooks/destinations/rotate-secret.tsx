import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import type { Destination } from "./destination-state.tsx";
import { DestinationSecret } from "./destination-secret.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useProjectOf } from "../rights.ts";

/** Replaces the secret that signs deliveries. During the overlap, both secrets sign. */
export function RotateDestinationSecret({
  destination,
  onClose,
}: {
  destination: Destination;
  onClose: () => void;
}): ReactNode {
  const projectId = useProjectOf(destination.webhook_id);
  const [made, setMade] = useState<{ readonly secret: string | null } | null>(null);
  const rotate = useAct(WEBHOOK_ROUTES.rotateWebhookDestinationSecret, { onDone: setMade });
  if (made !== null) return <DestinationSecret title="The new secret" secret={made.secret} onClose={onClose} />;
  const params = { webhook_id: destination.webhook_id, destination_id: destination.id };
  return (
    <ReplaceDialog
      title="Rotate secret"
      projectId={projectId}
      about={`For deliveries to ${visibleText(destination.name)}.`}
      label="The old secret also signs for another"
      hint="Choose enough time to give the receiver the new one. Until then, each request has both signatures."
      action="Rotate"
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params, body: { overlap_s: seconds } })}
      onClose={onClose}
    />
  );
}
