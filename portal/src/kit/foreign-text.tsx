import type { ReactNode } from "react";
import { visibleText } from "./foreign.ts";

/** A name that somebody else chose: separated from the text around it, with hidden characters made visible. */
export function ForeignText({ text }: { text: string }): ReactNode {
  return <bdi>{visibleText(text)}</bdi>;
}
