import type { ReactNode } from "react";
import { useMe } from "~/app/scope.ts";
import { cn } from "~/kit/cn.ts";
import { bytesText, countText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { CELL, SelectableTable } from "~/kit/selectable-table.tsx";
import { Badge } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import type { ListedFile } from "./files.ts";
import type { FileList } from "./use-files.ts";

const TITLES = ["Name", "Size", "Type", "Project", "Uploaded"];

interface FileTableProps {
  list: FileList;
  openId: string | undefined;
  onOpen: (file: ListedFile) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** A table of files. The list of names also shows the number of versions. */
export function FileTable(props: FileTableProps): ReactNode {
  const me = useMe();
  const slugOf = (id: string): string => me?.projects.find((project) => project.id === id)?.slug ?? id;
  return (
    <SelectableTable<ListedFile>
      {...props}
      label="files"
      total={props.list.isTotalCut === true ? undefined : props.list.total}
      titles={TITLES}
      idOf={({ id }) => id}
      rowOf={(file) => ({
        name: file.filename,
        nameClass: "text-ink",
        badge: file.versions !== undefined && file.versions > 1 && <Badge>{countText(file.versions)} versions</Badge>,
        expands: true,
        cells: (
          <>
            <td className={cn(CELL, "mono text-right")} title={`${countText(file.size_bytes)} bytes`}>
              {bytesText(file.size_bytes)}
            </td>
            <td className={cn(CELL, "max-w-56 truncate text-ink-2")}>
              <ForeignText text={file.content_type} />
            </td>
            <td className={cn(CELL, "text-ink-2")}>
              {file.project_id === null ? "the organization" : slugOf(file.project_id)}
            </td>
            <td className={CELL}>
              <Time at={file.created_at} />
            </td>
          </>
        ),
      })}
    />
  );
}
