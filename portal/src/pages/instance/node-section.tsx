import type { ReactNode } from "react";
import { Copyable } from "~/kit/copy.tsx";
import { countText } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { nodeState } from "./lag.ts";
import type { Instance } from "./types.ts";

type Node = Instance["nodes"][number];

/** Lists the nodes, and how many changes of access each has applied. */
export function NodeSection({ nodes, latest }: { nodes: Instance["nodes"]; latest: number }): ReactNode {
  // Uses the clocks of the nodes, since the browser's clock may be wrong.
  const now = new Date(Math.max(...nodes.map(({ seen_at }) => Date.parse(seen_at))));
  const behind = (node: Node) => nodeState(node, latest, now);
  const columns: readonly Column<Node>[] = [
    {
      title: "Node",
      grow: true,
      cell: ({ id, current }) => (
        <span className="flex items-center gap-2">
          <Copyable text={id} /> {current && <Badge>answered this page</Badge>}
        </span>
      ),
    },
    { title: "State", cell: (node) => <State kind={behind(node).kind}>{behind(node).text}</State> },
    { title: "Applied", number: true, cell: ({ applied_change }) => countText(applied_change) },
    { title: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
    { title: "Seen", cell: ({ seen_at }) => <Time at={seen_at} /> },
  ];
  return (
    <Section
      title="Nodes"
      about={
        <>
          The latest change of access is <code>{countText(latest)}</code>. A node behind it has not applied the latest
          revocations
        </>
      }
      flush
    >
      <Table label="Nodes" columns={columns} items={nodes} keyOf={({ id }) => id} />
    </Section>
  );
}
