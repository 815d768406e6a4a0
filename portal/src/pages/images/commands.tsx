import { useState, type ReactNode } from "react";
import { CopyBlock } from "~/kit/copy.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import type { ImageCommand } from "./images.ts";

/** Shows the commands of one client at a time. */
export function Commands({ label, commands }: { label: string; commands: readonly ImageCommand[] }): ReactNode {
  const [open, setOpen] = useState(commands[0]?.id ?? "");
  const tabs = commands.map(({ id, title, text }) => ({ id, title, content: <CopyBlock text={text} label={title} /> }));
  return <Tabs label={label} tabs={tabs} value={open} onChange={setOpen} />;
}
