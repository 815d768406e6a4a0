import { FILE_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useMay, useOrganization } from "~/app/scope.ts";
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
import { ShareLink } from "./share-link.tsx";

/** Addresses are renewed before they end, so that the open file can be downloaded at any time. */
const RENEW_MS = 8 * 60_000;

/** One file: its facts, a look at it, and ways to take it along. */
export function FileInspector({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const { client, slug } = useOrganization();
  const result = useQuery({
    queryKey: [slug, FILE_ROUTES.getFileDownload.operationId, id],
    queryFn: async ({ signal }) =>
      (await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: id }, signal })).data,
    staleTime: RENEW_MS,
    refetchInterval: RENEW_MS,
  });
  const title = result.data === undefined ? "File" : <ForeignText text={result.data.filename} />;
  return (
    <Inspector title={title} onClose={onClose}>
      <Loaded result={result}>{(grant) => <FileDetails id={id} grant={grant} onDeleted={onClose} />}</Loaded>
    </Inspector>
  );
}

function FileDetails({ id, grant, onDeleted }: { id: string; grant: DownloadGrant; onDeleted: () => void }): ReactNode {
  const mayDelete = useMay(FILE_ROUTES.deleteFile.permission);
  const [isDeleting, setDeleting] = useState(false);
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
        <CopyButton text={command} label="Copy as curl" />
        <Button
          look="danger"
          disabled={!mayDelete}
          title={mayDelete ? undefined : "Needs the scope files:delete, which your role does not have"}
          onClick={() => setDeleting(true)}
        >
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
      <Preview id={id} grant={grant} />
      <ShareLink id={id} />
      {isDeleting && (
        <DeleteDialog
          files={[{ id, filename: grant.filename }]}
          onDone={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
