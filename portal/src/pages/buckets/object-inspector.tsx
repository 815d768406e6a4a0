import { ApiError } from "@mooring/client";
import { BUCKET_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useRead } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable, CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loading } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { DeleteObjectsDialog } from "./delete-objects-dialog.tsx";
import { ObjectLink } from "./object-link.tsx";
import { objectCommands, type Bucket, type ObjectDetail } from "./objects.ts";
import { ObjectVersions } from "./object-versions.tsx";

interface ObjectInspectorProps {
  bucket: Bucket;
  objectKey: string;
  version: string | undefined;
  onClose: () => void;
}

/** Shows one object: its metadata, its versions, its links. */
export function ObjectInspector({ bucket, objectKey: key, version, onClose }: ObjectInspectorProps): ReactNode {
  const result = useRead(BUCKET_ROUTES.getObject, {
    params: { app_id: bucket.app_id },
    query: { key, ...(version === undefined ? {} : { version_id: version }) },
    purpose: "read the object",
  });
  const isGone = result.error instanceof ApiError && result.error.code === "not_found";
  const hasVersions = bucket.versioning !== "unversioned";
  useAbsence(isGone && !hasVersions);
  return (
    <Inspector
      title={
        <code title={visibleText(key)}>
          <ForeignText text={key} />
        </code>
      }
      onClose={onClose}
    >
      {isGone ? (
        <State kind="stop">deleted; older versions are below</State>
      ) : result.error !== null ? (
        <ErrorNote error={result.error} />
      ) : result.data === undefined || result.data.key !== key ? (
        <Loading />
      ) : (
        <Details bucket={bucket} object={result.data} version={version} onClose={onClose} />
      )}
      {hasVersions && <ObjectVersions bucket={bucket} objectKey={key} version={version} />}
    </Inspector>
  );
}

interface DetailsProps {
  bucket: Bucket;
  object: ObjectDetail;
  version: string | undefined;
  onClose: () => void;
}

function Details({ bucket, object, version, onClose }: DetailsProps): ReactNode {
  const endpoint = useAddresses()?.s3_endpoint ?? "";
  const why = useWhyNotIn(bucket.project_id, BUCKET_ROUTES.deleteObjects.permission);
  const [isDeleting, setDeleting] = useState(false);
  const line = { ...object, kind: version === undefined ? ("object" as const) : ("version" as const) };
  return (
    <>
      <ObjectFacts bucket={bucket} object={object} />
      <div className="flex flex-wrap gap-2">
        <DownloadButton bucket={bucket} object={object} version={version} />
        <Button look="danger" disabled={why !== undefined} title={why} onClick={() => setDeleting(true)}>
          {version === undefined ? "Delete…" : "Delete this version…"}
        </Button>
      </div>
      <Pairs title="Metadata" of={object.metadata} />
      <Pairs title="Tags" of={object.tags} />
      <Pairs title="Sent with the content" of={object.headers} />
      <h3>Share link</h3>
      <ObjectLink bucket={bucket} objectKey={object.key} version={version} isSealed={object.encryption === "SSE-C"} />
      <h3>From a terminal</h3>
      <CopyBlock text={objectCommands(endpoint, bucket.bucket, object.key).join("\n")} label="get the object" />
      {isDeleting && (
        <DeleteObjectsDialog bucket={bucket} lines={[line]} onDone={onClose} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

function ObjectFacts({ bucket, object }: { bucket: Bucket; object: ObjectDetail }): ReactNode {
  const { checksum, retention } = object;
  const uri = `s3://${bucket.bucket}/${object.key}`;
  return (
    <Facts
      items={[
        ["Key", <Copyable key="key" text={object.key} shown={visibleText(object.key)} />],
        ["S3 address", <Copyable key="uri" text={uri} shown={visibleText(uri)} />],
        ["Size", `${bytesText(object.size_bytes)} (${countText(object.size_bytes)} bytes)`],
        ["Modified", <Time key="at" at={object.last_modified} />],
        ["ETag", <Copyable key="etag" text={object.etag} />],
        [
          "Checksum",
          checksum === null ? "none was sent" : <code key="sum">{`${checksum.algorithm} ${checksum.value}`}</code>,
        ],
        ["Came in", object.parts === null ? "one piece" : plural(object.parts, "part")],
        ["Encryption", object.encryption ?? "not set"],
        ["Version", <code key="version">{object.version_id}</code>],
        ...(retention === null ? [] : [["Kept until", <Time key="retention" at={retention.until} />] as const]),
        ...(object.legal_hold ? [["Legal hold", "on: the version can't be deleted"] as const] : []),
      ]}
    />
  );
}

function Pairs({ title, of }: { title: string; of: Readonly<Record<string, string>> }): ReactNode {
  const all = Object.entries(of);
  if (all.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Facts
        items={all.map(([name, value]) => [
          visibleText(name),
          <code key={name}>
            <ForeignText text={value} />
          </code>,
        ])}
      />
    </>
  );
}

function DownloadButton({ bucket, object, version }: Omit<DetailsProps, "onClose">): ReactNode {
  const link = useAct(BUCKET_ROUTES.createObjectLink, {
    onDone: ({ url }) => {
      const anchor = document.createElement("a");
      anchor.href = url;
      anchor.rel = "noreferrer";
      anchor.click(); // the answer is an attachment, so the page stays
    },
  });
  const isSealed = object.encryption === "SSE-C";
  return (
    <>
      <Button
        look="main"
        busy={link.isPending}
        disabled={isSealed}
        title={isSealed ? "It is encrypted with a customer key, which the server does not have" : undefined}
        onClick={() =>
          link.mutate({
            params: { app_id: bucket.app_id },
            body: { key: object.key, ...(version === undefined ? {} : { version_id: version }) },
          })
        }
      >
        Download
      </Button>
      <ErrorNote error={link.error} />
    </>
  );
}
