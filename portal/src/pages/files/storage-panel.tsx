import { USAGE_ROUTES } from "@mooring/contract";
import { useEffect, useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe, type Me } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Select } from "~/kit/field.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { groupFiles, type Grouping, type StorageGroup } from "./files.ts";
import { ProgressBar } from "~/kit/progress-bar.tsx";
import type { SearchState } from "./search.ts";
import type { FileList } from "./use-files.ts";

const GROUPINGS: Readonly<Record<Grouping, string>> = {
  type: "type",
  prefix: "prefix of the name",
  project: "project",
};
const GROUPS_SHOWN = 50;

/** Shows the storage of the loaded files by type, prefix or project. A button loads all files. */
export function StoragePanel({ list }: { list: FileList }): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const me = useMe();
  const by: Grouping = search.by === "prefix" || search.by === "project" ? search.by : "type";
  const [isCounting, setCounting] = useState(false);
  const { hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (isCounting && hasMore && !isLoadingMore && !document.hidden) loadMore();
  }, [isCounting, hasMore, isLoadingMore, loadMore]);
  const groups = groupFiles(list.items, by);
  const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
  return (
    <Section
      title="Storage used"
      flush
      about={
        <span role="status">
          {bytesText(bytes)} in {countText(list.items.length)} of {list.isTotalCut === true && "more than "}
          {countText(list.total ?? 0)} files
        </span>
      }
      actions={
        <>
          {hasMore && (
            <Button onClick={() => setCounting(!isCounting)}>{isCounting ? "Stop counting" : "Count all"}</Button>
          )}
          <span className="w-48">
            <Select aria-label="Storage by" value={by} onChange={({ target }) => setSearch({ by: target.value })}>
              {Object.entries(GROUPINGS).map(([id, text]) => (
                <option key={id} value={id}>
                  by {text}
                </option>
              ))}
            </Select>
          </span>
        </>
      }
    >
      <Quota />
      <div className="max-h-64 overflow-auto">
        <Table
          label={`storage by ${GROUPINGS[by]}`}
          columns={columnsOf(by, bytes, me)}
          items={groups.slice(0, GROUPS_SHOWN)}
          keyOf={({ key }) => key}
          onOpen={by === "prefix" ? ({ key }) => setSearch({ prefix: key }) : undefined}
        />
      </div>
      {groups.length > GROUPS_SHOWN && (
        <p className="p-2.5 text-ink-2">
          The largest {GROUPS_SHOWN} of {countText(groups.length)}.
        </p>
      )}
    </Section>
  );
}

/** Shows the stored bytes of the whole organization. */
function Quota(): ReactNode {
  const mayRead = useMayIn(null, USAGE_ROUTES.getUsage.permission);
  const { data } = useRead(USAGE_ROUTES.getUsage, {}, { enabled: mayRead });
  if (data === undefined) return null;
  const { bytes, count, trashed_bytes: trashed, reserved_bytes: reserved, quota_bytes: quota } = data.services.files;
  const percent = quota === null ? 0 : ((bytes + trashed) / Math.max(1, quota)) * 100;
  return (
    <p className="flex flex-wrap items-center gap-x-3 border-b border-line px-3.5 py-2 text-ink-2">
      <span>
        The organization stores {plural(count, "file")}, {bytesText(bytes)}
        {quota !== null && ` of a quota of ${bytesText(quota)}`}
        {trashed > 0 && `; the trash has another ${bytesText(trashed)}`}
        {reserved > 0 && `; running uploads reserve another ${bytesText(reserved)}`}.
      </span>
      {quota !== null && <ProgressBar label="quota used" percent={Math.min(100, percent)} />}
      <PageLink page="usage">Usage and limits</PageLink>
    </p>
  );
}

function columnsOf(by: Grouping, bytes: number, me: Me | undefined): Column<StorageGroup>[] {
  const nameOf = (key: string): string => {
    if (by !== "project") return key;
    return key === "" ? "the organization" : (me?.projects.find(({ id }) => id === key)?.slug ?? key);
  };
  return [
    {
      title: GROUPINGS[by].replace(/^./, (char) => char.toUpperCase()),
      cell: ({ key }) => <ForeignText text={nameOf(key)} />,
    },
    { title: "Files", number: true, cell: ({ files }) => countText(files) },
    { title: "Bytes", number: true, cell: (group) => bytesText(group.bytes) },
    { title: "Share", grow: true, cell: (group) => <Bar share={bytes === 0 ? 0 : group.bytes / bytes} /> },
  ];
}

function Bar({ share }: { share: number }): ReactNode {
  return (
    <span className="flex items-center gap-2">
      <span className="h-2 flex-1 bg-well" aria-hidden="true">
        <span className="block h-2 bg-sea" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="mono w-12 text-right">{(share * 100).toFixed(1)} %</span>
    </span>
  );
}
