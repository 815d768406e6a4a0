import type { ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { cn } from "~/kit/cn.ts";
import { bytesText, countText } from "~/kit/figures.ts";
import { CELL, SelectableTable } from "~/kit/selectable-table.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { idOf, nameIn, type Line } from "./objects.ts";

const TITLES = ["Name", "Size", "State", "Modified"];

interface ObjectTableProps {
  list: ItemList<Line>;
  prefix: string;
  openId: string | undefined;
  onOpen: (line: Line) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** Lists the content of a folder: objects, their versions, and subfolders. */
export function ObjectTable({ prefix, ...props }: ObjectTableProps): ReactNode {
  return (
    <SelectableTable<Line>
      {...props}
      label="objects"
      titles={TITLES}
      idOf={idOf}
      rowOf={(line) => {
        const isFolder = line.kind === "prefix";
        return {
          name: nameIn(line.key, prefix),
          nameClass: cn("mono", isFolder && "text-sea"),
          expands: !isFolder,
          cells: <ObjectCells line={line} />,
        };
      }}
    />
  );
}

function ObjectCells({ line }: { line: Line }): ReactNode {
  const { size_bytes: bytes, last_modified: at } = line;
  return (
    <>
      <td className={cn(CELL, "mono text-right")} {...(bytes === null ? {} : { title: `${countText(bytes)} bytes` })}>
        {bytes === null ? "" : bytesText(bytes)}
      </td>
      <td className={CELL}>
        <LineState line={line} />
      </td>
      <td className={CELL}>{at !== null && <Time at={at} />}</td>
    </>
  );
}

function LineState({ line }: { line: Line }): ReactNode {
  if (line.kind === "prefix") return <Badge>folder</Badge>;
  if (line.kind === "delete_marker") return <State kind="stop">{line.is_latest ? "deleted" : "was deleted"}</State>;
  if (line.kind === "version" && !line.is_latest) return <State kind="none">old version</State>;
  return <State kind="go">present</State>;
}
