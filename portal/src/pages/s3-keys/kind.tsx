import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { reachText, type S3Key } from "~/access/s3-keys.ts";
import type { AccessKind } from "~/access/kind.ts";
import { durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";

/** The access key ID from before the last rotation. */
function Former({ former }: { former: NonNullable<S3Key["former"]> }): ReactNode {
  return (
    <>
      <code>{former.access_key_id}</code> works until <Time at={former.expires_at} />, last used{" "}
      <Time at={former.last_used_at} />
    </>
  );
}

export const S3_KEYS: AccessKind<S3Key> = {
  noun: "S3 key",
  path: "/v1/s3/keys",
  idParam: "key_id",
  rows: {
    list: ORGANIZATION_ROUTES.listS3Keys,
    get: ORGANIZATION_ROUTES.getS3Key,
    update: ORGANIZATION_ROUTES.updateS3Key,
    approve: ORGANIZATION_ROUTES.approveS3Key,
    adopt: ORGANIZATION_ROUTES.adoptS3Key,
    revoke: ORGANIZATION_ROUTES.revokeS3Key,
    activity: ORGANIZATION_ROUTES.getS3KeyActivity,
  },
  address: { open: "key", create: "create" },
  identifierName: "Access key ID",
  identifierOf: ({ access_key_id }) => access_key_id,
  searchTextOf: ({ name, access_key_id, buckets }) => [name, access_key_id, ...(buckets ?? [])].join(" "),
  columns: [
    { title: "Access key ID", cell: ({ access_key_id }) => <code>{access_key_id}</code> },
    { title: "Buckets", cell: (key) => <code>{visibleText(reachText(key))}</code> },
  ],
  facts: (key) => [
    ["Buckets", <code key="buckets">{visibleText(reachText(key))}</code>],
    ...(key.former === null ? [] : [["Old access key ID", <Former key="former" former={key.former} />] as const]),
  ],
  hasMutableScopes: false,
  resourceKinds: ["buckets"],
  hasChildren: false,
  revokeConsequence: (key) => (
    <>
      Its next request will be refused: reads, writes and presigned URLs in <code>{visibleText(reachText(key))}</code>.
      A new key has a different secret.
    </>
  ),
  revokedNote: ({ tookMs }) => (
    <>
      <State kind="go">Revoked after {durationText(tookMs)}</State>
      <p className="text-ink-2">
        Every node reads the key for each request, so its next request is refused everywhere with 403
        InvalidAccessKeyId. Running requests may finish.
      </p>
    </>
  ),
};
