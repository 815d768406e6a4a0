import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Badge } from "~/kit/state.tsx";

/** The statement in a list is cut at this length by the server, so it can't be opened in the editor. */
const WHOLE_CHARS_MAX = 4096;
/** The length of a statement in a list. Its title has more. */
const SHOWN_CHARS = 120;
const TITLE_CHARS = 1000;

/** Shows the first words of a statement, with a link to the editor. */
export function Statement({ sql }: { sql: string }): ReactNode {
  const line = visibleText(sql.replaceAll(/\s+/g, " ").trim());
  const text = line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
  const title = visibleText(sql, { lines: true }).slice(0, TITLE_CHARS);
  if (sql.length >= WHOLE_CHARS_MAX)
    return (
      <code className="mono" title={title}>
        {text}
      </code>
    );
  return (
    <span title={title}>
      <PageLink page="sql" search={{ sql }} className="mono text-sea hover:underline">
        {text}
      </PageLink>
    </span>
  );
}

interface Actor {
  readonly kind: "credential" | "person" | "alert";
  readonly id: string;
}

/** Shows who asked, by name if it has one. */
export function Who({ actor, nameOf }: { actor: Actor; nameOf: (id: string) => string | undefined }): ReactNode {
  const name = nameOf(actor.id);
  return (
    <span title={actor.id}>
      {name === undefined ? <code>…{actor.id.slice(-8)}</code> : visibleText(name)}{" "}
      {actor.kind !== "person" && <Badge>{actor.kind}</Badge>}
    </span>
  );
}
