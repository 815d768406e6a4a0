import type { ReactNode } from "react";
import { Copyable } from "~/kit/copy.tsx";
import { plural } from "~/kit/figures.ts";
import { Facts, Section } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import type { Instance } from "./types.ts";

/** Shows the versions, for bug reports, and the applied migrations. */
export function VersionSection({ version, build }: Pick<Instance, "version" | "build">): ReactNode {
  const { commit, node, sqlite, duckdb, migrations } = build;
  const last = migrations.at(-1);
  return (
    <Section title="Version">
      <Facts
        items={[
          ["Mooring", <code key="version">{version}</code>],
          ["Commit", commit === null ? "not known" : <Copyable key="commit" text={commit} />],
          ["Node", <code key="node">{node}</code>],
          ["SQLite", <code key="sqlite">{sqlite}</code>],
          ["DuckDB", <code key="duckdb">{duckdb}</code>],
          [
            "Records",
            last !== undefined && (
              <>
                {plural(migrations.length, "migration")}, the last <code>{last.name}</code>{" "}
                <Time at={last.applied_at} />
              </>
            ),
          ],
        ]}
      />
    </Section>
  );
}
