import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";

/** A button that opens a list of actions. `trigger` is the button. */
export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-80 min-w-44 overflow-auto rounded border border-line-2 bg-sheet p-1 text-ink"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function MenuItem({
  onSelect,
  danger = false,
  disabled = false,
  children,
}: {
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      disabled={disabled}
      className={cn(
        "flex min-h-7 cursor-pointer items-center gap-2 rounded px-2 outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-sea-2",
        danger && "text-stop",
      )}
    >
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuLabel({ children }: { children: ReactNode }): ReactNode {
  return <DropdownMenu.Label className="px-2 py-1 text-s text-ink-3">{children}</DropdownMenu.Label>;
}

export function MenuLine(): ReactNode {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
