import { useState, type ReactNode } from "react";
import { CopyBlock } from "~/kit/copy.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Prose } from "./prose.tsx";
import type { Snippet } from "./snippets/shared.ts";

/** Shows one of several snippets, at first the first one. */
export function SnippetChoice({ label, snippets }: { label: string; snippets: readonly Snippet[] }): ReactNode {
  const [tab, setTab] = useState("0");
  const tabs = snippets.map(({ title, about, text }, index) => ({
    id: String(index),
    title,
    content: (
      <>
        {about !== undefined && (
          <p className="text-ink-2">
            <Prose text={about} />
          </p>
        )}
        <CopyBlock text={text} label={title} />
      </>
    ),
  }));
  return <Tabs label={label} value={tab} onChange={setTab} tabs={tabs} />;
}
