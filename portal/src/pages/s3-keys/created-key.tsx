import type { ReactNode } from "react";
import { PendingSecretNote } from "~/access/pending.tsx";
import type { NewS3Key } from "~/access/s3-keys.ts";
import { SecretDialog } from "~/access/secret-dialog.tsx";
import { SnippetTabs, TestCommand } from "~/access/snippet-tabs.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Facts } from "~/kit/page.tsx";

/** The secret of a new S3 key, with settings for S3 clients. */
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
      another="Create another S3 key to get another one."
      hasSecret={secret !== null}
      onClose={onClose}
    >
      {key.pending && <PendingSecretNote noun="S3 key" />}
      <Facts
        items={[
          ["Access key ID", <CopyBlock key="id" text={key.access_key_id} label="access key ID" />],
          ...(secret === null
            ? []
            : [["Secret access key", <CopyBlock key="secret" text={secret} label="secret access key" />] as const]),
        ]}
      />
      <SnippetTabs {...access} />
      <TestCommand {...access} />
    </SecretDialog>
  );
}
