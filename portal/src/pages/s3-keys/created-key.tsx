import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { State } from "~/kit/state.tsx";
import type { NewS3Key } from "~/access/s3-keys.ts";
import { SnippetTabs, TestCommand } from "~/access/snippet-tabs.tsx";

/** A key that was just made, with its secret: shown here, and never again. */
export function CreatedKey({ s3Key: key, onClose }: { s3Key: NewS3Key; onClose: () => void }): ReactNode {
  const secret = key.secret_access_key ?? undefined;
  return (
    <Dialog
      holdsSecret
      title="The key is made"
      about="The secret is shown this once. Copy it before you close this."
      onClose={onClose}
      wide
    >
      {key.pending && (
        <p>
          <State kind="warn">
            <span className="whitespace-normal">
              It waits for an approval: put the secret away now, and ask an owner or admin to approve the key.
            </span>
          </State>
        </p>
      )}
      <p>
        <ForeignText text={key.name} />: put these where it is used.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-1">
          <h3>Access key ID</h3>
          <CopyBlock text={key.access_key_id} label="access key ID" />
        </div>
        <div className="flex min-w-0 flex-col gap-1">
          <h3>Secret access key</h3>
          {secret === undefined ? (
            <p className="text-ink-2">The request was repeated, and the secret is not shown twice. Make another key.</p>
          ) : (
            <CopyBlock text={secret} label="secret access key" />
          )}
        </div>
      </div>
      <SnippetTabs
        accessKeyId={key.access_key_id}
        secretAccessKey={secret}
        bucket={key.buckets?.[0]}
        prefix={key.prefix}
      />
      <TestCommand
        accessKeyId={key.access_key_id}
        secretAccessKey={secret}
        bucket={key.buckets?.[0]}
        prefix={key.prefix}
      />
      <DialogActions>
        <Button look="main" onClick={onClose}>
          I have the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
