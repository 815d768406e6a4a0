import { BUCKET_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useRead, type ItemList } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useAddress } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { DropTarget } from "~/kit/drop-target.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Loaded, Loading, Page as Frame } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { SearchField } from "~/kit/search-field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Badge } from "~/kit/state.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { UploadButton } from "~/kit/upload-button.tsx";
import { DeleteObjectsDialog } from "./delete-objects-dialog.tsx";
import { ObjectInspector } from "./object-inspector.tsx";
import { ObjectTable } from "./object-table.tsx";
import { useObjectUploads } from "./object-uploads.ts";
import {
  crumbsOf,
  fromAddress,
  idOf,
  inAddress,
  uploadCommand,
  type Bucket,
  type Line,
  type ObjectSearch,
} from "./objects.ts";
import { PrefixBytes } from "./prefix-bytes.tsx";
import { UploadList } from "./upload-list.tsx";
import { useLines } from "./use-objects.ts";

const TYPING_MS = 250;

/** The objects of one bucket, by folder. */
export function Page(): ReactNode {
  const { app = "" } = useAddress();
  const input = { params: { app_id: app }, purpose: "read the bucket" };
  const result = useNamed(useRead(BUCKET_ROUTES.getBucket, input), ({ project_id }) => project_id);
  const [search] = useTextSearchState<ObjectSearch>();
  const query = new URLSearchParams({ delimiter: "/", prefix: fromAddress(search.at) ?? "" });
  return (
    <Frame
      title={result.data?.bucket ?? app}
      fill
      about={
        <>
          <PageLink page="buckets" className={PROSE_LINK}>
            Buckets
          </PageLink>{" "}
          / {result.data?.bucket ?? app}
        </>
      }
      actions={
        <CopyButton
          text={curlOf(`${location.origin}/v1/buckets/${app}/objects?${query.toString()}`)}
          label="Copy as curl"
        />
      }
    >
      <Loaded result={result}>{(bucket) => <Objects key={bucket.app_id} bucket={bucket} />}</Loaded>
    </Frame>
  );
}

function Objects({ bucket }: { bucket: Bucket }): ReactNode {
  const [search, setSearch] = useTextSearchState<ObjectSearch>();
  const at = fromAddress(search.at) ?? "";
  const open = fromAddress(search.object);
  const { uploads, views } = useObjectUploads(bucket.app_id);
  const why = useWhyNotIn(bucket.project_id, BUCKET_ROUTES.createObjectUpload.permission);
  const whyNoSql = useWhyNotIn(bucket.project_id, "telemetry:read");
  const add = (files: readonly { file: File; name: string }[]): void =>
    uploads.add(files.map(({ file, name }) => ({ file, key: `${at}${name}` })));
  const goTo = (prefix: string): void =>
    setSearch(
      { at: prefix === "" ? undefined : inAddress(prefix), q: undefined, object: undefined, version: undefined },
      { push: true },
    );
  return (
    <>
      <Summary bucket={bucket} />
      <div className="flex flex-wrap items-center gap-2">
        <UploadButton isMain why={why} onFiles={add}>
          Upload objects
        </UploadButton>
        <Button
          aria-pressed={search.versions === true}
          disabled={bucket.versioning === "unversioned"}
          title={bucket.versioning === "unversioned" ? "The bucket has no versions" : undefined}
          onClick={() => setSearch({ versions: search.versions === true ? undefined : true })}
        >
          Versions and deleted
        </Button>
        <Button
          aria-pressed={search.bytes === true}
          disabled={whyNoSql !== undefined}
          title={whyNoSql}
          onClick={() => setSearch({ bytes: search.bytes === true ? undefined : true })}
        >
          Bytes by prefix
        </Button>
      </div>
      {why === undefined && <DropTarget onFiles={add} />}
      <UploadList uploads={uploads} views={views} />
      {search.bytes === true && whyNoSql === undefined && <PrefixBytes bucket={bucket} prefix={at} onOpen={goTo} />}
      <WithInspector
        inspector={
          open !== undefined && (
            <ObjectInspector
              key={open}
              bucket={bucket}
              objectKey={open}
              version={search.version}
              onClose={() => setSearch({ object: undefined, version: undefined })}
            />
          )
        }
      >
        <Folder key={at} bucket={bucket} at={at} goTo={goTo} />
      </WithInspector>
    </>
  );
}

function Summary({ bucket }: { bucket: Bucket }): ReactNode {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
      <span>
        {plural(bucket.versions, bucket.versioning === "unversioned" ? "object" : "version")},{" "}
        {bytesText(bucket.size_bytes)}
      </span>
      <Badge>{bucket.versioning === "enabled" ? "keeps versions" : bucket.versioning}</Badge>
      <Badge>{bucket.public ? "everybody may read" : "read with keys"}</Badge>
      {bucket.object_lock && <Badge>object lock</Badge>}
      {bucket.encryption !== null && <Badge>{`encrypted, ${bucket.encryption}`}</Badge>}
    </p>
  );
}

/** Links to the parent folders. */
function Crumbs({ bucket, at, goTo }: { bucket: string; at: string; goTo: (prefix: string) => void }): ReactNode {
  const crumbs = [{ title: bucket, prefix: "" }, ...crumbsOf(at)];
  return (
    <nav aria-label="Folder" className="min-w-0">
      <ol className="mono flex flex-wrap items-center gap-x-1">
        {crumbs.map(({ title, prefix }, index) => (
          <li key={prefix} className="flex max-w-full min-w-0 items-center gap-1">
            {index === crumbs.length - 1 ? (
              <span aria-current="location" className="min-h-6 truncate py-0.5">
                <ForeignText text={title === "" ? "(no name)" : title} />
              </span>
            ) : (
              <button type="button" className="min-h-6 truncate text-sea hover:underline" onClick={() => goTo(prefix)}>
                <ForeignText text={title === "" ? "(no name)" : title} />
              </button>
            )}
            <span aria-hidden="true" className="text-ink-3">
              /
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Folder({ bucket, at, goTo }: { bucket: Bucket; at: string; goTo: (prefix: string) => void }): ReactNode {
  const [search, setSearch] = useTextSearchState<ObjectSearch>();
  const prefix = `${at}${search.q ?? ""}`;
  const list = useLines(bucket.app_id, prefix, search.versions === true && bucket.versioning !== "unversioned");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = list.items.filter((line) => selected.has(idOf(line)));
  const openLine = list.items.find(
    (line) =>
      line.key === fromAddress(search.object) &&
      line.kind !== "prefix" &&
      (search.version === undefined
        ? !("is_latest" in line) || line.is_latest
        : "version_id" in line && line.version_id === search.version),
  );
  return (
    <section className="flex min-h-72 min-w-0 flex-1 flex-col rounded border border-line bg-sheet">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
        <h2 className="sr-only">Objects</h2>
        <Crumbs bucket={bucket.bucket} at={at} goTo={goTo} />
        <span className="text-ink-2" role="status">
          {!list.isPending && `${countText(list.items.length)}${list.hasMore ? " and more" : ""} here`}
        </span>
        <span className="ml-auto">
          <SearchField
            label="Names that begin with…"
            value={search.q}
            waitMs={TYPING_MS}
            onChange={(q) => setSearch({ q })}
          />
        </span>
      </header>
      {chosen.length > 0 && <ChosenBar bucket={bucket} lines={chosen} onClear={() => setSelected(new Set())} />}
      <Lines list={list} empty={<NothingHere bucket={bucket} at={at} q={search.q} />}>
        <ObjectTable
          list={list}
          prefix={at}
          openId={openLine === undefined ? undefined : idOf(openLine)}
          onOpen={(line) => (line.kind === "prefix" ? goTo(line.key) : setSearch(openState(line), { push: true }))}
          selected={selected}
          onSelect={setSelected}
        />
      </Lines>
    </section>
  );
}

function openState(line: Line): Pick<ObjectSearch, "object" | "version"> {
  const version = "version_id" in line && !line.is_latest ? (line.version_id ?? undefined) : undefined;
  return { object: inAddress(line.key), version: line.kind === "delete_marker" ? undefined : version };
}

function Lines({ list, empty, children }: { list: ItemList<Line>; empty: ReactNode; children: ReactNode }): ReactNode {
  if (list.error !== null && list.items.length === 0) return <ErrorNote error={list.error} />;
  if (list.isPending) return <Loading />;
  return list.items.length === 0 ? empty : children;
}

interface ChosenBarProps {
  bucket: Bucket;
  lines: readonly Line[];
  onClear: () => void;
}

function ChosenBar({ bucket, lines, onClear }: ChosenBarProps): ReactNode {
  const why = useWhyNotIn(bucket.project_id, BUCKET_ROUTES.deleteObjects.permission);
  const [isDeleting, setDeleting] = useState(false);
  const bytes = lines.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-well px-3.5 py-1.5">
      <span role="status">
        {plural(lines.length, "row")} selected, {bytesText(bytes)}
        {lines.some(({ kind }) => kind === "prefix") && " and the content of the folders"}
      </span>
      <span className="ml-auto flex flex-wrap gap-2">
        <CopyButton text={lines.map(({ key }) => `s3://${bucket.bucket}/${key}`).join("\n")} label="Copy addresses" />
        <Button look="danger" disabled={why !== undefined} title={why} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
        <Button onClick={onClear}>Select none</Button>
      </span>
      {isDeleting && (
        <DeleteObjectsDialog bucket={bucket} lines={lines} onDone={onClear} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}

function NothingHere({ bucket, at, q }: { bucket: Bucket; at: string; q: string | undefined }): ReactNode {
  const endpoint = useAddresses()?.s3_endpoint ?? "";
  if (q !== undefined)
    return (
      <Empty title="No name begins with this">
        <p>The search is case-sensitive, and only in this folder.</p>
      </Empty>
    );
  return (
    <Empty title={at === "" ? "No objects yet" : "Nothing is in this folder"}>
      <p>Drop files or folders anywhere on this page, or upload them with an S3 client:</p>
      <CopyBlock text={uploadCommand(endpoint, bucket.bucket, at)} label="upload an object" />
    </Empty>
  );
}
