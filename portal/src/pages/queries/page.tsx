import type { ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Page as Frame } from "~/kit/page.tsx";
import { EndedQueries } from "./ended.tsx";
import { RunningQueries } from "./running.tsx";

/** SQL statements: those that run, and the slow ones with the reasons. */
export function Page(): ReactNode {
  const managesAll = useMayIn(null, "queries:manage");
  return (
    <Frame
      title="Queries"
      about={
        managesAll
          ? "The SQL statements of everybody in the organization: those that run, and why slow ones took long."
          : "Your SQL statements: those that run, and why slow ones took long."
      }
      actions={
        <PageLink page="sql" className="self-center px-2 text-sea hover:underline">
          SQL editor
        </PageLink>
      }
    >
      <RunningQueries />
      <EndedQueries />
    </Frame>
  );
}
