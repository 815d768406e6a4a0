import type { ReactNode } from "react";
import { PendingSecretNote } from "~/access/pending.tsx";
import type { NewS3Key } from "~/access/s3-keys.ts";
import { SnippetTabs, TestCommand } from "~/access/snippet-tabs.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SecretDialog } from "~/kit/secret-dialog.tsx";

/** Shows the secret of a new S3 key, with settings for S3 clients. */
export function CreatedKey({ s3Key: key, onClose }: { s3Key: NewS3Key; onClose: () => void }): ReactNode {
  const { secret_access_key: secret } = key;
  const access = {
    accessKeyId: key.access_key_id,
    secretAccessKey: secret ?? undefined,
    bucket: key.buckets?.[0],
    prefix: key.prefix,
  };
  return (
    <SecretDialog
      title={`Secret of ${visibleText(key.name)}`}
      label="Secret access key"
      secret={secret}
      beside={[["Access key ID", key.access_key_id]]}
      another="Create another S3 key to get another one."
      onClose={onClose}
    >
      {key.pending && <PendingSecretNote noun="S3 key" />}
      <SnippetTabs {...access} />
      <TestCommand {...access} />
    </SecretDialog>
  );
}
