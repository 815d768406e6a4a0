import { Link, type LinkProps } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { cn } from "./cn.ts";

type Look = "plain" | "main" | "danger" | "quiet";

const LOOKS: Record<Look, string> = {
  plain: "border-line-2 bg-sheet text-ink hover:bg-well",
  main: "border-sea bg-sea text-on-sea hover:opacity-90",
  danger: "border-stop bg-sheet text-stop hover:bg-stop-2",
  quiet: "border-transparent bg-transparent text-ink-2 hover:bg-well hover:text-ink",
};

export function buttonClass(look: Look = "plain", className?: string): string {
  return cn(
    "inline-flex h-[30px] shrink-0 items-center justify-center gap-2 rounded border px-3 font-medium whitespace-nowrap",
    "disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55",
    LOOKS[look],
    className,
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` for the main action of a page; `danger` for an action that can't be undone. */
  look?: Look;
  /** Whether its action is running. Then a click does nothing, screen readers announce it, and it keeps the focus. */
  busy?: boolean;
}

export function Button({ look, busy = false, className, children, onClick, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={buttonClass(look, className)}
      aria-busy={busy}
      aria-disabled={busy ? true : undefined}
      {...rest}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export function Spinner(): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink({ look, className, ...rest }: LinkProps & { look?: Look; className?: string }): ReactNode {
  return <Link className={buttonClass(look, className)} {...rest} />;
}

/** A square button with an icon. The label is for screen readers and the tooltip. */
export function IconButton({ label, className, ...rest }: Omit<ButtonProps, "look"> & { label: string }): ReactNode {
  return <Button look="quiet" aria-label={label} title={label} className={cn("w-[30px] px-0", className)} {...rest} />;
}
