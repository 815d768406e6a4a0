import type { ReactNode } from "react";
import { useFirstProject } from "~/access/create-dialog.tsx";
import { Part } from "~/access/inspector.tsx";
import { AccessPage } from "~/access/page.tsx";
import type { NewS3Key, S3Key } from "~/access/s3-keys.ts";
import { SnippetTabs } from "~/access/snippet-tabs.tsx";
import { useProject } from "~/app/scope.ts";
import { CreateS3Key } from "./create-dialog.tsx";
import { CreatedKey } from "./created-key.tsx";
import { S3_KEYS } from "./kind.tsx";
import { RotateButton } from "./rotate-dialog.tsx";

/** Access keys of the S3 gateway. */
export function Page(): ReactNode {
  const first = useFirstProject(useProject());
  return (
    <AccessPage<S3Key, NewS3Key>
      kind={S3_KEYS}
      title="S3 keys"
      about="An access key ID and a secret, for any S3 client. A key never has more permissions than its creator."
      emptyAbout="With an S3 key, aws, rclone, boto3, DuckDB and other S3 clients read and write your buckets."
      emptyCommand="npx mooring s3 keys create --name reports --read-only"
      formParams={["bucket"]}
      form={({ search, onCreated, onClose }) => (
        <CreateS3Key bucket={String(search["bucket"] ?? "")} project={first} onCreated={onCreated} onClose={onClose} />
      )}
      secret={(created, onClose) => <CreatedKey s3Key={created} onClose={onClose} />}
      idOf={({ id }) => id}
      buttons={(key, onSecret) => <RotateButton s3Key={key} onRotated={onSecret} />}
      parts={(key) =>
        key.revoked_at === null && (
          <Part title="Use it">
            <p className="text-ink-2">Insert the secret of the key. It was shown once, when the key was created.</p>
            <SnippetTabs accessKeyId={key.access_key_id} bucket={key.buckets?.[0]} prefix={key.prefix} />
          </Part>
        )
      }
    />
  );
}
