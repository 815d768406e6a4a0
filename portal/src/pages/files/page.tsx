import { FILE_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { FilesOutside } from "~/app/outside.tsx";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { DropTarget } from "~/kit/drop-target.tsx";
import type { ChosenFile } from "~/kit/dropped.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Loading, Page as Frame } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { UploadButton } from "~/kit/upload-button.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { FileInspector } from "./file-inspector.tsx";
import { FileTable } from "./file-table.tsx";
import { OriginsDialog } from "./origins-dialog.tsx";
import type { SearchState } from "./search.ts";
import { StoragePanel } from "./storage-panel.tsx";
import { Trash } from "./trash.tsx";
import { UploadTray } from "./upload-tray.tsx";
import { useFileNames, useFiles, type FileList } from "./use-files.ts";
import { useUploads } from "./use-uploads.ts";

const TYPING_MS = 250;

/** The page of files: the list, the running uploads, and the open file. */
export function Page(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const present = useProject();
  const project = present?.slug;
  const why = useWhyNotIn(present?.id ?? null, FILE_ROUTES.createUpload.permission);
  const isGrouped = search.view === "names";
  const filters = { prefix: search.prefix, project };
  const flat = useFiles({ ...filters, enabled: search.view === undefined || search.by !== undefined });
  const names = useFileNames({ ...filters, enabled: isGrouped });
  const list = isGrouped ? names : flat;
  const uploads = useUploads();
  const add = (files: readonly ChosenFile[]): void => uploads.add(files, project);
  const close = (): void => setSearch({ file: undefined });
  const projectOf = (file: string) => list.items.find(({ id }) => id === file)?.project_id;
  return (
    <Frame
      title="Files"
      about="Files of the organization or a project. Drop files or folders anywhere on this page; an interrupted upload can be resumed."
      fill={search.view !== "trash"}
      actions={
        <>
          <Button
            aria-pressed={search.by !== undefined}
            onClick={() => setSearch({ by: search.by === undefined ? "type" : undefined })}
          >
            Storage used
          </Button>
          <Button
            aria-pressed={search.view === "trash"}
            onClick={() =>
              setSearch({ view: search.view === "trash" ? undefined : "trash", file: undefined }, { push: true })
            }
          >
            Trash
          </Button>
          <AllowedOrigins />
          <CopyButton text={listCommand(search, project)} label="Copy as curl" />
          <UploadButton isMain why={why} onFiles={add}>
            Upload files
          </UploadButton>
        </>
      }
    >
      {why === undefined && <DropTarget onFiles={add} />}
      <UploadTray uploads={uploads} />
      {search.by !== undefined && <StoragePanel list={flat} />}
      <WithInspector
        inspector={
          search.file !== undefined && (
            <FileInspector key={search.file} id={search.file} projectId={projectOf(search.file)} onClose={close} />
          )
        }
      >
        {search.view === "trash" ? (
          <Trash project={project} onBack={() => setSearch({ view: undefined })} />
        ) : (
          <Files list={list} isGrouped={isGrouped} why={why} onFiles={add} />
        )}
      </WithInspector>
    </Frame>
  );
}

/** The button for the pages of other origins that may upload. */
function AllowedOrigins(): ReactNode {
  const why = useWhyNotIn(null, FILE_ROUTES.updateFileSettings.permission);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button disabled={why !== undefined} title={why} onClick={() => setOpen(true)}>
        Allowed origins…
      </Button>
      {isOpen && <OriginsDialog onClose={() => setOpen(false)} />}
    </>
  );
}

interface FilesProps {
  list: FileList;
  /** Whether each name is listed once. */
  isGrouped: boolean;
  /** Why the person can't upload; undefined: they can. */
  why: string | undefined;
  onFiles: (files: readonly ChosenFile[]) => void;
}

function Files({ list, isGrouped, why, onFiles }: FilesProps): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = list.items.filter(({ id }) => selected.has(id));
  return (
    <section className="flex min-h-72 min-w-0 flex-1 flex-col rounded border border-line bg-sheet">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
        <h2>{isGrouped ? "Files by name" : "All files"}</h2>
        <span className="text-ink-2" role="status">
          {!list.isPending && loadedText(list, isGrouped)}
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-x-3">
          <Checkbox
            label="Group versions"
            checked={isGrouped}
            onChange={({ target }) => setSearch({ view: target.checked ? "names" : undefined })}
          />
          <SearchField
            label="Names that begin with…"
            value={search.prefix}
            waitMs={TYPING_MS}
            onChange={(prefix) => setSearch({ prefix })}
          />
        </span>
      </header>
      {chosen.length > 0 && <BulkBar files={chosen} onClear={() => setSelected(new Set())} />}
      {list.error !== null && list.items.length === 0 ? (
        <ErrorNote error={list.error} />
      ) : list.isPending ? (
        <Loading />
      ) : list.items.length === 0 ? (
        <NoFiles prefix={search.prefix} why={why} onFiles={onFiles} />
      ) : (
        <FileTable
          list={list}
          openId={search.file}
          onOpen={({ id }) => setSearch({ file: search.file === id ? undefined : id }, { push: true })}
          selected={selected}
          onSelect={setSelected}
        />
      )}
    </section>
  );
}

function loadedText({ items, total, isTotalCut = false }: FileList, isGrouped: boolean): string {
  const loaded = countText(items.length);
  if (total === undefined) return `the first ${loaded} names`;
  return isGrouped
    ? plural(items.length, "name")
    : `${loaded} of ${isTotalCut ? "more than " : ""}${countText(total)} loaded`;
}

function NoFiles({
  prefix,
  why,
  onFiles,
}: {
  prefix: string | undefined;
  why: string | undefined;
  onFiles: (files: readonly ChosenFile[]) => void;
}): ReactNode {
  if (prefix !== undefined)
    return (
      <Empty title="No file matches">
        <p>No name begins with this. The search is case-sensitive.</p>
      </Empty>
    );
  return (
    <Empty
      title="No files yet"
      action={
        <UploadButton why={why} onFiles={onFiles}>
          Upload files
        </UploadButton>
      }
    >
      <FilesOutside />
      <p>
        You can upload files of any kind, by default up to 5 GiB each, from this page, the command line or the API. A
        file never changes: new content with the same name is a new version.
      </p>
      <CopyBlock text="npx mooring files put costs.csv" />
    </Empty>
  );
}

function listCommand({ prefix, view }: Partial<SearchState>, project: string | undefined): string {
  const query = new URLSearchParams({ limit: "100" });
  const path = view === "trash" ? "/trash" : view === "names" ? "/names" : "";
  if (prefix !== undefined && view !== "trash") query.set("prefix", prefix);
  if (project !== undefined) query.set("project", project);
  return curlOf(`${location.origin}/v1/files${path}?${query.toString()}`);
}
