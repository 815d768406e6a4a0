import { useEffect, type ReactNode } from "react";
import { Spinner } from "./button.tsx";
import { cn } from "./cn.ts";
import { ErrorNote } from "./error-note.tsx";

interface PageProps {
  title: string;
  /** The content of the page, in one sentence. */
  about?: ReactNode;
  /** Buttons at the right of the title, the main action last. */
  actions?: ReactNode;
  /** Whether the content has the height of the window and scrolls inside, as grids do. */
  fill?: boolean;
  children: ReactNode;
}

/** The frame of a page: title, purpose and actions. */
export function Page({ title, about, actions, fill = false, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Mooring`;
  }, [title]);
  return (
    <div className={cn("flex flex-col gap-4", fill && "h-full min-h-0")}>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h1>{title}</h1>
          {about !== undefined && <p className="mt-0.5 max-w-[68ch] text-ink-2">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A group of related parts. */
export function Section({
  title,
  about,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  /** Without space around the content, for tables. */
  flush?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <section className="min-w-0 rounded border border-line bg-sheet">
      {title !== undefined && (
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
          <h2>{title}</h2>
          {about !== undefined && <span className="text-ink-2">{about}</span>}
          {actions !== undefined && (
            <span className="ml-auto flex flex-wrap items-center gap-2 max-sm:ml-0">{actions}</span>
          )}
        </header>
      )}
      <div className={cn("min-w-0", !flush && "flex flex-col gap-3 p-3.5")}>{children}</div>
    </section>
  );
}

export function Loading({ what = "Loading" }: { what?: string }): ReactNode {
  return (
    <p role="status" className="flex items-center gap-2 p-3.5 text-ink-2">
      <Spinner /> {what}…
    </p>
  );
}

/** The state of a read: an error, loading, or the data. */
export function Loaded<D>({
  result,
  children,
}: {
  result: { data: D | undefined; error: Error | null };
  children: (data: NonNullable<D>) => ReactNode;
}): ReactNode {
  if (result.data !== undefined && result.data !== null) return children(result.data);
  return result.error === null ? <Loading /> : <ErrorNote error={result.error} />;
}

/** For an empty page: its purpose, a command, a button. */
export function Empty({
  title,
  children,
  action,
  heading: Heading = "h3",
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** `h2` on a page without sections. */
  heading?: "h2" | "h3";
}): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3 p-5">
      <Heading className="text-l">{title}</Heading>
      <div className="flex w-full max-w-[72ch] min-w-0 flex-col gap-3 text-ink-2">{children}</div>
      {action}
    </div>
  );
}

/** A list of names and values. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[minmax(88px,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1">
      {items.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="py-0.5 text-ink-3">{name}</dt>
          <dd className="min-w-0 py-0.5 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
