import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface Tab {
  readonly id: string;
  readonly title: ReactNode;
  readonly content: ReactNode;
}

/** Tabs; the arrow keys switch between them. */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
}): ReactNode {
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-w-0 flex-col gap-3">
      <Radix.List aria-label={label} className="flex flex-wrap gap-x-1 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px min-h-[30px] border-b-2 border-transparent px-2.5 text-ink-2 hover:text-ink data-[state=active]:border-sea data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="flex min-w-0 flex-col gap-3">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
