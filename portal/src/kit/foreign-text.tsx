import type { ReactNode } from "react";
import { visibleText } from "./foreign.ts";

/** A name that somebody else chose: kept apart from the text around it, with what hides in it made visible. */
export function ForeignText({ text }: { text: string }): ReactNode {
  return <bdi>{visibleText(text)}</bdi>;
}
