import type { ReactNode } from "react";
import { visibleText } from "./foreign.ts";

/**
 * Shows a text from outside. It is isolated from the text around it (its direction too), and hidden characters are
 * visible.
 */
export function ForeignText({ text }: { text: string }): ReactNode {
  return <bdi>{visibleText(text)}</bdi>;
}
