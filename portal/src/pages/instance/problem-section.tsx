import type { ReactNode } from "react";
import { Copyable } from "~/kit/copy.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import type { Instance } from "./types.ts";

/** The present problems of the server, each with the page that says how to end it. */
export function ProblemSection({ problems }: { problems: Instance["problems"] }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <Section title="Problems" about="each has a page with the steps that end it" flush>
      <ul>
        {problems.map(({ alert, severity, text, page }) => (
          <li
            key={`${alert} ${text}`}
            className="flex flex-col gap-1 border-b border-line px-3.5 py-2 last:border-b-0 [overflow-wrap:anywhere]"
          >
            <span className="flex flex-wrap items-baseline gap-x-3">
              <State kind={severity === "critical" ? "stop" : "warn"}>{severity}</State>
              <span>{text}</span>
            </span>
            <span className="flex flex-wrap items-baseline gap-x-3 text-s text-ink-2">
              <span>{alert}</span>
              <Copyable text={page} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
