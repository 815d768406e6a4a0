import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";
import { usePeople } from "~/access/people.ts";
import { ownerLeft } from "./state.ts";

/** Who made something: a person by name, or that they left, or what made it. */
export function Owner({ id }: { id: string }): ReactNode {
  const people = usePeople();
  const person = people?.get(id);
  if (person !== undefined) return <span title={person.email}>{person.name}</span>;
  if (ownerLeft(id, people)) return <State kind="stop">Left</State>;
  if (id === "system") return "The server's command line";
  if (id.startsWith("cred_")) return "Another credential";
  return <code>{id}</code>;
}
