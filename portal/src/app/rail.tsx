import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { cn } from "~/kit/cn.ts";
import { useSession } from "~/api/session.ts";
import { useSees } from "./may.ts";
import { PAGES } from "./pages.ts";
import { pagePath } from "./page-link.tsx";
import { ScopePicker } from "./scope-picker.tsx";
import { useAddress, usePlace } from "./scope.ts";

const GROUPS = ["Project", "Access", "Organization"] as const;

/** Lists all pages by group. On narrow screens it is a menu over the page. */
export function Rail({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const { org } = useAddress();
  const place = usePlace();
  const isOrganization = org !== undefined && (place.kind !== "absent" || place.me !== undefined);
  const session = useSession();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && document.querySelector('[role="dialog"],[role="menu"]') === null) onClose();
    };
    // On wide screens the rail is not a menu and covers nothing.
    const wide = matchMedia("(width >= 48rem)");
    box.current?.querySelector("a")?.focus();
    document.addEventListener("keydown", onKey);
    wide.addEventListener("change", onClose);
    return () => {
      document.removeEventListener("keydown", onKey);
      wide.removeEventListener("change", onClose);
    };
  }, [isOpen, onClose]);
  return (
    <>
      {isOpen && <div className="fixed inset-0 z-30 bg-ink/30 md:hidden" aria-hidden="true" onClick={onClose} />}
      <nav
        ref={box}
        aria-label="Pages"
        onClick={() => isOpen && onClose()}
        className={cn(
          "row-span-2 flex flex-col gap-0.5 overflow-y-auto border-r border-line bg-paper p-2.5",
          "max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:z-40 max-md:w-[250px]",
          !isOpen && "max-md:hidden",
        )}
      >
        <Link to="/" className="flex items-center gap-2 px-2 pt-1 pb-2.5 text-[15px] font-semibold tracking-tight">
          <Mark /> Mooring
        </Link>
        {isOrganization ? <OrganizationPages org={org} /> : <Organizations />}
        <span className="flex-1" />
        {session.user.instance_admin && <RailLink to="/instance" title="Instance" />}
        <RailLink to="/account" title="Account" />
      </nav>
    </>
  );
}

function Organizations(): ReactNode {
  const { organizations } = useSession();
  return (
    <>
      <GroupTitle>Organizations</GroupTitle>
      {organizations.map(({ slug, name }) => (
        <RailLink key={slug} to={pagePath(slug, "-", "")} title={name} />
      ))}
    </>
  );
}

function OrganizationPages({ org }: { org: string }): ReactNode {
  const { project = "-" } = useAddress();
  const sees = useSees();
  return (
    <>
      <ScopePicker />
      {GROUPS.map((group) => {
        const pages = PAGES.filter((page) => page.group === group && page.hidden !== true && sees(page));
        if (pages.length === 0) return null;
        return (
          <div key={group} className="contents">
            <GroupTitle>{group}</GroupTitle>
            {pages.map((page) => (
              <RailLink
                key={page.path}
                to={pagePath(org, project, page.path)}
                title={page.title}
                jump={page.key}
                exact={page.path === ""}
              />
            ))}
          </div>
        );
      })}
    </>
  );
}

function GroupTitle({ children }: { children: ReactNode }): ReactNode {
  return <p className="mx-2 mt-3 mb-0.5 text-xs font-medium text-ink-3">{children}</p>;
}

function RailLink({
  to,
  title,
  jump,
  exact = false,
}: {
  to: string;
  title: string;
  jump?: string | undefined;
  exact?: boolean;
}): ReactNode {
  return (
    <Link
      to={to}
      activeOptions={{ exact, includeSearch: false }}
      className="group flex min-h-[27px] items-center justify-between rounded px-2 text-ink-2 hover:bg-well hover:text-ink aria-[current=page]:bg-sea-2 aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <span className="truncate">{title}</span>
      {jump !== undefined && (
        <kbd aria-hidden="true" className="opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
          g {jump}
        </kbd>
      )}
    </Link>
  );
}

export function Mark(): ReactNode {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      aria-hidden="true"
    >
      <circle cx="10" cy="4.2" r="2.4" />
      <path d="M10 6.6V18M3 11c.4 4.2 3.2 6.6 7 7 3.8-.4 6.6-2.8 7-7M6.4 9.4h7.2" />
    </svg>
  );
}
