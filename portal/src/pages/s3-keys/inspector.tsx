import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { AddressesText } from "~/access/addresses-field.tsx";
import { PendingNote } from "~/access/pending.tsx";
import { useAct, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { useNames } from "~/kit/names.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Time, useNow } from "~/kit/time.tsx";
import { KeyActivity } from "./activity.tsx";
import { EditKeyDialog } from "./edit-dialog.tsx";
import { reachText, scopesText, stateOf, type S3Key } from "~/access/s3-keys.ts";
import { KeyStateText, ProjectName } from "./page-parts.tsx";
import { RevokeKeyDialog } from "./revoke-dialog.tsx";
import { SnippetTabs } from "~/access/snippet-tabs.tsx";

/** One key: what it may, what it did lately, how to use it, and how to end it. */
export function KeyInspector({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const read = useRead(ORGANIZATION_ROUTES.getS3Key, { params: { key_id: id }, purpose: "read the key" });
  const result = useNamed(read);
  return (
    <Inspector title={result.data === undefined ? "Key" : <ForeignText text={result.data.name} />} onClose={onClose}>
      <Loaded result={result}>{(key) => <KeyDetails s3Key={key} />}</Loaded>
    </Inspector>
  );
}

function KeyDetails({ s3Key: key }: { s3Key: S3Key }): ReactNode {
  const why = useWhyNotIn(key.project_id, "credentials:write");
  const mayWrite = why === undefined;
  const [isRevoking, setRevoking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      {key.pending && key.revoked_at === null && <Approval s3Key={key} />}
      <KeyFacts s3Key={key} />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={curlOf(`${location.origin}/v1/s3/keys/${key.id}`)} label="Copy as curl" />
        {key.revoked_at === null && (
          <>
            <Button disabled={!mayWrite} title={why} onClick={() => setEditing(true)}>
              Change…
            </Button>
            <Button look="danger" disabled={!mayWrite} title={why} onClick={() => setRevoking(true)}>
              Revoke…
            </Button>
          </>
        )}
      </div>
      <h3>Lately</h3>
      <KeyActivity id={key.id} />
      {key.revoked_at === null && (
        <>
          <h3>Use it</h3>
          <p className="text-ink-2">The secret was shown once, when the key was made. Put yours in its place.</p>
          <SnippetTabs accessKeyId={key.access_key_id} bucket={key.buckets?.[0]} prefix={key.prefix} />
        </>
      )}
      {isEditing && <EditKeyDialog s3Key={key} onClose={() => setEditing(false)} />}
      {isRevoking && <RevokeKeyDialog s3Key={key} onClose={() => setRevoking(false)} />}
    </>
  );
}

function Approval({ s3Key: key }: { s3Key: S3Key }): ReactNode {
  const approve = useAct(ORGANIZATION_ROUTES.approveS3Key, {
    changes: [ORGANIZATION_ROUTES.listS3Keys, ORGANIZATION_ROUTES.getS3Key],
  });
  return (
    <PendingNote
      what="key"
      projectId={key.project_id}
      busy={approve.isPending}
      error={approve.error}
      onApprove={() => approve.mutate({ params: { key_id: key.id } })}
    />
  );
}

function KeyFacts({ s3Key: key }: { s3Key: S3Key }): ReactNode {
  const me = useMe();
  const nameOf = useNames();
  const state = stateOf(key, useNow(60_000));
  const lost = key.scopes.filter((scope) => !key.effective_scopes.includes(scope));
  return (
    <Facts
      items={[
        ["State", <KeyStateText key="state" state={state} />],
        ["Access key", <Copyable key="id" text={key.access_key_id} />],
        ["May", scopesText(key.pending ? key.scopes : key.effective_scopes)],
        ...(state === "cut"
          ? [["Lost", `${scopesText(lost)}: whoever made it may no longer do this, or the policy forbids it`] as const]
          : []),
        ["Reaches", <code key="reach">{visibleText(reachText(key))}</code>],
        ["Used from", <AddressesText key="from" ranges={key.allowed_addresses} />],
        ["Project", <ProjectName key="project" id={key.project_id} me={me} />],
        ["Made", <Time key="made" at={key.created_at} />],
        [
          "Made by",
          <Copyable key="by" text={key.created_by} shown={visibleText(nameOf(key.created_by) ?? key.created_by)} />,
        ],
        ["Last used", <Time key="used" at={key.last_used_at} />],
        ["Expires", <Time key="expires" at={key.expires_at} />],
        ...(key.revoked_at === null ? [] : [["Revoked", <Time key="revoked" at={key.revoked_at} />] as const]),
      ]}
    />
  );
}
