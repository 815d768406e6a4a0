import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, DialogActions } from "~/kit/dialog.tsx";
import { durationText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { KeyActivity } from "./activity.tsx";
import { reachText, type S3Key } from "~/access/s3-keys.ts";

interface Done {
  readonly revokedAt: string;
  readonly tookMs: number;
}

/** Says who used the key lately, ends it, and says that it ended. */
export function RevokeKeyDialog({ s3Key: key, onClose }: { s3Key: S3Key; onClose: () => void }): ReactNode {
  const [done, setDone] = useState<Done | null>(null);
  const [startedMs, setStartedMs] = useState(0);
  const revoke = useAct(ORGANIZATION_ROUTES.revokeS3Key, {
    changes: [ORGANIZATION_ROUTES.listS3Keys, ORGANIZATION_ROUTES.getS3Key],
    onDone: ({ revoked_at }) => setDone({ revokedAt: revoked_at, tookMs: performance.now() - startedMs }),
  });
  if (done !== null) return <Revoked accessKeyId={key.access_key_id} done={done} onClose={onClose} />;
  return (
    <DangerDialog
      title="Revoke this key"
      projectId={key.project_id}
      type={isTypable(key.name) ? key.name : "revoke"}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() => {
        setStartedMs(performance.now());
        revoke.mutate({ params: { key_id: key.id } });
      }}
      about={
        <div className="flex flex-col gap-2">
          <p>
            Whatever uses <ForeignText text={key.name} /> (<code>{key.access_key_id}</code>) is refused from its next
            request on: reads, writes and presigned addresses in <code>{visibleText(reachText(key))}</code>. This can't
            be undone; a new key has another secret.
          </p>
          <KeyActivity id={key.id} />
        </div>
      }
    />
  );
}

function Revoked({ accessKeyId, done, onClose }: { accessKeyId: string; done: Done; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Revoked" onClose={onClose}>
      <p role="status">
        <State kind="go">
          <span className="whitespace-normal">
            <code>{accessKeyId}</code> ended <Time at={done.revokedAt} />, in {durationText(done.tookMs)}
          </span>
        </State>
      </p>
      <p className="text-ink-2">
        Every node looks the key up before each request, so the next one is refused everywhere: 403 InvalidAccessKeyId.
        What was going on may come to its end.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
