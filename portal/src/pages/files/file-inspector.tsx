import { FILE_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotHere } from "~/app/may.ts";
import { whyNotIn } from "~/app/rights.ts";
import { useMe, useOrganization } from "~/app/scope.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ownContentUrl } from "./download.ts";
import type { DownloadGrant } from "./files.ts";
import { Preview } from "./preview.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { Versions } from "./versions.tsx";

/** Addresses are renewed before they expire, so that the open file can always be downloaded. */
const RENEW_MS = 8 * 60_000;

/** Shows one file: its facts, a preview, and its links. */
export function FileInspector({
  id,
  projectId,
  onClose,
}: {
  id: string;
  /** Undefined: unknown, because the list has not loaded the file yet. */
  projectId: string | null | undefined;
  onClose: () => void;
}): ReactNode {
  const { client, slug } = useOrganization();
  const read = useQuery({
    queryKey: [slug, FILE_ROUTES.getFileDownload.operationId, id],
    queryFn: async ({ signal }) =>
      (await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: id }, signal })).data,
    staleTime: RENEW_MS,
    refetchInterval: RENEW_MS,
  });
  const result = useNamed(read);
  const title = result.data === undefined ? "File" : <ForeignText text={result.data.filename} />;
  return (
    <Inspector title={title} onClose={onClose}>
      <Loaded result={result}>
        {(grant) => <FileDetails id={id} projectId={projectId} grant={grant} onDeleted={onClose} />}
      </Loaded>
    </Inspector>
  );
}

interface DetailsProps {
  id: string;
  projectId: string | null | undefined;
  grant: DownloadGrant;
  onDeleted: () => void;
}

function FileDetails({ id, projectId, grant, onDeleted }: DetailsProps): ReactNode {
  const me = useMe();
  const { permission } = FILE_ROUTES.deleteFile;
  const whyNotHere = useWhyNotHere(permission);
  const why = projectId === undefined ? whyNotHere : whyNotIn(me, projectId, permission);
  const [isDeleting, setDeleting] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const command = curlOf(`${location.origin}/v1/files/${id}/download`);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <a
          href={ownContentUrl(grant.download_url) ?? grant.download_url}
          download={grant.filename}
          rel="noreferrer"
          className={buttonClass("main")}
        >
          Download
        </a>
        <Button onClick={() => setSharing(true)}>Share…</Button>
        <CopyButton text={command} label="Copy as curl" />
        <Button look="danger" disabled={why !== undefined} title={why} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </div>
      <Facts
        items={[
          [
            "Name",
            <span key="name" className="mono">
              <ForeignText text={grant.filename} />
            </span>,
          ],
          ["Size", `${bytesText(grant.size_bytes)} (${countText(grant.size_bytes)} bytes)`],
          ["Type", <ForeignText key="type" text={grant.content_type} />],
          ["Id", <Copyable key="id" text={id} />],
          ["SHA-256", <Copyable key="sha256" text={grant.sha256} />],
          ["ETag", <Copyable key="etag" text={`"${grant.sha256}"`} />],
        ]}
      />
      <Versions id={id} />
      <Preview id={id} grant={grant} />
      {isSharing && <ShareDialog id={id} filename={grant.filename} onClose={() => setSharing(false)} />}
      {isDeleting && (
        <DeleteDialog
          files={[{ id, filename: grant.filename }]}
          projectId={projectId}
          onDone={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
