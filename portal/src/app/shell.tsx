import { Outlet, useMatchRoute } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState, type ReactNode, type Ref } from "react";
import { ConfirmationProvider } from "~/api/confirmation.tsx";
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "~/api/session.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { Empty, Page } from "~/kit/page.tsx";
import { ConnectProvider, useConnect } from "./connect/connect.tsx";
import { EndedNotice } from "./ended-notice.tsx";
import { useSees } from "./may.ts";
import { PAGES, type PageEntry } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { Rail } from "./rail.tsx";
import { Refused, useRefusal } from "./refused.tsx";
import { ServerState } from "./server-state.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { rememberOrganization, useAddress } from "./scope.ts";

/** The frame around every page: the rail, the bar above, and what opens over them. */
export function Shell(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  if (session === null)
    location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`);
  if (session === null || session === undefined) return null;
  return (
    <ConfirmationProvider>
      <ConnectProvider>
        <Frame />
      </ConnectProvider>
    </ConfirmationProvider>
  );
}

function Frame(): ReactNode {
  const { org, project } = useAddress();
  const [open, setOpen] = useState<"palette" | "shortcuts" | "menu" | null>(null);
  const page = usePage();
  const refusal = useRefusal(org);
  const connect = useConnect();
  const close = (): void => setOpen(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const isMenuOpen = open === "menu";
  const closeMenu = useCallback(() => {
    setOpen((before) => (before === "menu" ? null : before));
    // The page behind the menu holds no focus until the menu is gone.
    requestAnimationFrame(() => menuButton.current?.focus());
  }, []);
  useShortcuts({ openPalette: () => setOpen("palette"), openShortcuts: () => setOpen("shortcuts") });
  useEffect(() => {
    if (org !== undefined) rememberOrganization(org);
  }, [org]);
  return (
    <div className="grid h-full grid-cols-[212px_minmax(0,1fr)] grid-rows-[44px_minmax(0,1fr)] max-md:grid-cols-1">
      <a href="#content" className="sr-only z-50 bg-sheet p-2 focus:not-sr-only focus:absolute">
        Skip to the page
      </a>
      <Rail isOpen={isMenuOpen} onClose={closeMenu} />
      <header inert={isMenuOpen} className="flex min-w-0 items-center gap-2 border-b border-line px-4 max-md:px-2">
        <MenuButton ref={menuButton} isOpen={isMenuOpen} onOpen={() => setOpen("menu")} />
        <p className="min-w-0 flex-1 truncate text-ink-2">
          {org !== undefined && `${org} / `}
          {project !== undefined && project !== "-" && `${project} / `}
          <b className="font-medium text-ink">{page?.title ?? ""}</b>
        </p>
        <ServerState />
        <Button onClick={() => setOpen("palette")}>
          <span className="max-sm:sr-only">Search</span> <kbd>⌘K</kbd>
        </Button>
        {org !== undefined && (
          <Button look="main" onClick={() => connect({ topic: page?.topic ?? "token" })}>
            Connect
          </Button>
        )}
        <PersonMenu onShortcuts={() => setOpen("shortcuts")} />
      </header>
      <main
        id="content"
        tabIndex={-1}
        inert={isMenuOpen}
        className="min-h-0 min-w-0 overflow-auto p-[18px] outline-none max-md:p-3"
      >
        <EndedNotice />
        {refusal !== null ? (
          <Refused refusal={refusal} />
        ) : page === undefined || org === undefined ? (
          <Outlet />
        ) : (
          <Guarded page={page} />
        )}
      </main>
      {open === "palette" && <Palette onClose={close} />}
      {open === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </div>
  );
}

/** The page, or, where there is nothing on it for one to see, why: nothing is asked of the server that it would refuse. */
function Guarded({ page }: { page: PageEntry }): ReactNode {
  const sees = useSees();
  if (sees(page)) return <Outlet />;
  return (
    <Page title={page.title}>
      <Empty title="You can't see this page">
        <p>
          It takes <code>{page.scope}</code>, which none of your roles here holds. An owner or an admin of the
          organization can give you a role that does.
        </p>
      </Empty>
    </Page>
  );
}

/** On narrow screens the rail is a menu. */
function MenuButton({
  ref,
  isOpen,
  onOpen,
}: {
  ref: Ref<HTMLButtonElement>;
  isOpen: boolean;
  onOpen: () => void;
}): ReactNode {
  return (
    <button
      ref={ref}
      type="button"
      aria-label="Menu"
      aria-expanded={isOpen}
      onClick={onOpen}
      className={buttonClass("quiet", "px-2 md:hidden")}
    >
      ☰
    </button>
  );
}

function usePage(): PageEntry | undefined {
  const match = useMatchRoute();
  return PAGES.find(
    (page) => match({ to: page.path === "" ? "/o/$org/$project" : `/o/$org/$project/${page.path}` }) !== false,
  );
}
