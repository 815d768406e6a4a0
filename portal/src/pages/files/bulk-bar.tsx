import { FILE_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { whyNotIn } from "~/app/rights.ts";
import { useMe, useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Menu, MenuItem } from "~/kit/menu.tsx";
import { saveFile } from "~/kit/save.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { StoredFile } from "./files.ts";
import { addressListOf, csvOf } from "./lists.ts";
import { countedText } from "./upload-tray.tsx";

const ADDRESSES_MAX = 500;

/** The actions on the selected files. */
export function BulkBar({ files, onClear }: { files: readonly StoredFile[]; onClear: () => void }): ReactNode {
  const me = useMe();
  const why = files
    .map(({ project_id }) => whyNotIn(me, project_id, FILE_ROUTES.deleteFile.permission))
    .find((each) => each !== undefined);
  const [isDeleting, setDeleting] = useState(false);
  const addresses = useAddressList(files);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-well px-3.5 py-1.5">
      <span role="status">{countedText(files)} selected</span>
      <span className="ml-auto flex flex-wrap gap-2">
        <Menu trigger={<Button busy={addresses.isPending}>Download list</Button>}>
          <MenuItem onSelect={() => addresses.mutate()}>Addresses, one per line, for wget -i and curl</MenuItem>
          <MenuItem onSelect={() => saveFile("files.csv", new Blob([csvOf(files)], { type: "text/csv" }))}>
            Names, sizes and digests as CSV
          </MenuItem>
        </Menu>
        <Button look="danger" disabled={why !== undefined} title={why} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      </span>
      {addresses.error !== null && (
        <div className="w-full">
          <ErrorNote error={addresses.error} />
        </div>
      )}
      {isDeleting && (
        <DeleteDialog
          files={files}
          projectId={files.map(({ project_id }) => project_id)}
          onDone={onClear}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

/** Requests an address for each file, and saves them as a text file. They are valid as long as a share link. */
function useAddressList(files: readonly StoredFile[]) {
  const { client } = useOrganization();
  return useMutation({
    mutationFn: async () => {
      if (files.length > ADDRESSES_MAX)
        throw new Error(`Addresses expire soon, so select at most ${ADDRESSES_MAX} files.`);
      const urls: string[] = [];
      for (const { id } of files) {
        const { data } = await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: id } });
        urls.push(data.download_url);
      }
      saveFile("addresses.txt", new Blob([addressListOf(urls)], { type: "text/plain" }));
    },
  });
}
