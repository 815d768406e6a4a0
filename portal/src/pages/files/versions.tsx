import { FILE_ROUTES } from "@mooring/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { useNames } from "~/kit/names.ts";
import { Loaded } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { filesChanged } from "./changed.ts";
import { startDownload } from "./download.ts";
import type { StoredFile } from "./files.ts";
import type { SearchState } from "./search.ts";

const SHOWN_MAX = 100;

/** Lists all files of the same name in the same place, newest first. An older one can become the newest. */
export function Versions({ id }: { id: string }): ReactNode {
  const { client, slug } = useOrganization();
  const result = useQuery({
    queryKey: [slug, FILE_ROUTES.listFileVersions.operationId, id],
    queryFn: async ({ signal }) => {
      const query = { limit: SHOWN_MAX };
      return (await client.call(FILE_ROUTES.listFileVersions, { params: { file_id: id }, query, signal })).data;
    },
  });
  return (
    <>
      <h3>Versions</h3>
      <Loaded result={result}>
        {({ files, total }) => (
          <>
            <p className="text-ink-2">
              {total === 1
                ? "This is the only version. Upload a file of the same name to add one."
                : `${countText(total)} files of this name, newest first${total > files.length ? `; the first ${files.length} are shown` : ""}.`}
            </p>
            {total > 1 && (
              <ol aria-label="versions" className="flex max-h-72 flex-col overflow-auto rounded border border-line">
                {files.map((file, index) => (
                  <Version key={file.id} file={file} isNewest={index === 0} isOpen={file.id === id} />
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

interface VersionProps {
  file: StoredFile;
  isNewest: boolean;
  isOpen: boolean;
}

function Version({ file, isNewest, isOpen }: VersionProps): ReactNode {
  const { client } = useOrganization();
  const [, setSearch] = useTextSearchState<SearchState>();
  const nameOf = useNames();
  const download = useMutation({
    mutationFn: async () => (await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: file.id } })).data,
    onSuccess: startDownload,
  });
  const who = nameOf(file.created_by);
  return (
    <li className="flex flex-col gap-1 border-b border-line p-2 last:border-b-0" aria-current={isOpen}>
      <div className="flex flex-wrap items-center gap-x-2">
        <Time at={file.created_at} />
        <span className="min-w-0 [overflow-wrap:anywhere] text-ink-2" title={file.created_by}>
          by {who === undefined ? <code>…{file.created_by.slice(-8)}</code> : visibleText(who)}
        </span>
        <span className="mono ml-auto">{bytesText(file.size_bytes)}</span>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {isNewest && <Badge>newest</Badge>}
        {isOpen && <Badge>open</Badge>}
        <span className="ml-auto flex flex-wrap gap-2">
          {!isOpen && <Button onClick={() => setSearch({ file: file.id }, { push: true })}>Open</Button>}
          <Button busy={download.isPending} onClick={() => download.mutate()}>
            Download
          </Button>
          {!isNewest && <MakeNewest file={file} />}
        </span>
      </div>
      <ErrorNote error={download.error} />
    </li>
  );
}

/** Copies an older version to a new file, which becomes the newest. Nothing is uploaded, and no version is lost. */
function MakeNewest({ file }: { file: StoredFile }): ReactNode {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const [, setSearch] = useTextSearchState<SearchState>();
  const why = useWhyNotIn(file.project_id, FILE_ROUTES.copyFile.permission);
  const copy = useMutation({
    mutationFn: async () => (await client.call(FILE_ROUTES.copyFile, { params: { file_id: file.id }, body: {} })).data,
    onSuccess: async ({ id }) => {
      say("The older version is the newest now");
      setSearch({ file: id });
      await filesChanged(queries, slug);
    },
  });
  return (
    <>
      <Button busy={copy.isPending} disabled={why !== undefined} title={why} onClick={() => copy.mutate()}>
        Make newest
      </Button>
      <ErrorNote error={copy.error} />
    </>
  );
}
