import type { ReactNode } from "react";
import { visibleText } from "~/kit/foreign.ts";
import { useNames } from "~/kit/names.ts";
import { State } from "~/kit/state.tsx";
import type { AccessItem } from "./kind.ts";
import { usePeople } from "./people.ts";
import { ownerLeft } from "./state.ts";

/** Shows the person or credential whose permissions limit an item. */
export function ResponsibleOne({ of: { kind, id, name } }: { of: AccessItem["responsible"] }): ReactNode {
  const people = usePeople();
  if (kind === "system" || id === null) return "The server's command line";
  if (kind === "person" && ownerLeft(id, people))
    return <State kind="stop">{name === null ? "Left" : `${visibleText(name)}, who left`}</State>;
  return <span title={id}>{name === null ? "Another credential" : visibleText(name)}</span>;
}

/** Shows who created an item: a member by name, a credential, or the server's command line. */
export function Owner({ id }: { id: string }): ReactNode {
  const people = usePeople();
  const nameOf = useNames();
  const person = people?.get(id);
  if (person !== undefined) return <span title={person.email}>{person.name}</span>;
  if (ownerLeft(id, people)) return <State kind="stop">Left</State>;
  if (id === "system") return "The server's command line";
  const name = nameOf(id);
  if (name !== undefined) return <span title={id}>{visibleText(name)}</span>;
  if (id.startsWith("cred_")) return "Another credential";
  return <code>{id}</code>;
}
