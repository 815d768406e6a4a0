import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useSql } from "~/kit/chart-query.ts";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Loading, Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { bytesStatement, type Bucket } from "./objects.ts";

interface Part {
  readonly part: string;
  readonly objects: number;
  readonly bytes: number;
}

interface PrefixBytesProps {
  bucket: Bucket;
  prefix: string;
  onOpen: (prefix: string) => void;
}

/** Shows the sizes below a prefix, by SQL. */
export function PrefixBytes({ bucket, prefix, onOpen }: PrefixBytesProps): ReactNode {
  const { sql, parameters } = bytesStatement(bucket.bucket, prefix);
  const result = useSql({ sql, parameters });
  const parts = result.rows.map(({ part, objects, bytes }): Part => ({
    part: String(part),
    objects: Number(objects),
    bytes: Number(bytes),
  }));
  const most = Math.max(1, ...parts.map(({ bytes }) => bytes));
  const columns: Column<Part>[] = [
    {
      title: "Prefix",
      cell: ({ part }) => <code>{part === "" ? "(no name)" : <ForeignText text={part} />}</code>,
      grow: true,
    },
    { title: "Objects", cell: ({ objects }) => countText(objects), number: true },
    { title: "Bytes", cell: ({ bytes }) => bytesText(bytes), number: true },
    {
      title: "Share",
      cell: ({ bytes }) => <InlineBar share={bytes / most} />,
    },
  ];
  return (
    <Section
      title="Bytes by prefix"
      about="largest first, current versions only"
      flush
      actions={
        <PageLink
          page="sql"
          search={{ sql: "SELECT bucket, count(*) AS objects, sum(size_bytes) AS bytes FROM objects GROUP BY bucket" }}
        >
          Query with SQL
        </PageLink>
      }
    >
      {result.error !== null ? (
        <ErrorNote error={result.error} />
      ) : result.isPending ? (
        <Loading what="Counting" />
      ) : parts.length === 0 ? (
        <p className="p-3.5 text-ink-2">Nothing is here.</p>
      ) : (
        <div className="max-h-64 overflow-auto">
          <Table
            label="bytes by prefix"
            columns={columns}
            items={parts}
            keyOf={({ part }) => part}
            onOpen={({ part }) => part.endsWith("/") && onOpen(`${prefix}${part}`)}
          />
        </div>
      )}
    </Section>
  );
}
