import { Outlet, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState, type ReactNode, type Ref } from "react";
import { ConfirmationProvider } from "~/api/confirmation.tsx";
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "~/api/session.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Empty, Loading, Page } from "~/kit/page.tsx";
import { AbsenceBoundary, Absent } from "./absent.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { ConnectProvider, useConnect } from "./connect/connect.tsx";
import { EndedNotice } from "./ended-notice.tsx";
import { useSees } from "./may.ts";
import { PageLink } from "./page-link.tsx";
import { PAGES, type PageEntry } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { Rail } from "./rail.tsx";
import { Refused } from "./refused.tsx";
import { ServerState } from "./server-state.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { SuspensionNote } from "./suspension-note.tsx";
import { PlaceContext, rememberOrganization, useAddress, useFindPlace, usePlace } from "./scope.ts";

/** The frame around every page: the rail, the bar above, and the dialogs over them. */
export function Shell(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  if (session === null)
    location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}`);
  if (session === null || session === undefined) return null;
  return <Placed />;
}

function Placed(): ReactNode {
  return (
    <PlaceContext value={useFindPlace()}>
      <ConfirmationProvider>
        <ConnectProvider>
          <Frame />
        </ConnectProvider>
      </ConfirmationProvider>
    </PlaceContext>
  );
}

function Frame(): ReactNode {
  const place = usePlace();
  const [open, setOpen] = useState<"palette" | "shortcuts" | "menu" | null>(null);
  const page = usePage();
  const connect = useConnect();
  const close = (): void => setOpen(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const isMenuOpen = open === "menu";
  const closeMenu = useCallback(() => {
    setOpen((before) => (before === "menu" ? null : before));
    // The page under the menu can't get the focus before the menu is closed.
    requestAnimationFrame(() => menuButton.current?.focus());
  }, []);
  useShortcuts({ openPalette: () => setOpen("palette"), openShortcuts: () => setOpen("shortcuts") });
  const found = place.kind === "found" ? place.organization.slug : undefined;
  useEffect(() => {
    if (found !== undefined) rememberOrganization(found);
  }, [found]);
  return (
    <div className="grid h-full grid-cols-[212px_minmax(0,1fr)] grid-rows-[44px_minmax(0,1fr)] max-md:grid-cols-1">
      <a href="#content" className="sr-only z-50 bg-sheet p-2 focus:not-sr-only focus:absolute">
        Skip to the page
      </a>
      <Rail isOpen={isMenuOpen} onClose={closeMenu} />
      <header inert={isMenuOpen} className="flex min-w-0 items-center gap-2 border-b border-line px-4 max-md:px-2">
        <MenuButton ref={menuButton} isOpen={isMenuOpen} onOpen={() => setOpen("menu")} />
        <Crumbs page={page} />
        <ServerState />
        <Button onClick={() => setOpen("palette")}>
          <span className="max-sm:sr-only">Search</span> <kbd>⌘K</kbd>
        </Button>
        {(place.kind === "found" || place.kind === "loading") && (
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
        <SuspensionNote />
        <Content page={page} />
      </main>
      {open === "palette" && <Palette onClose={close} />}
      {open === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </div>
  );
}

/** Shows the current organization and project, or nothing if they are absent. */
function Crumbs({ page }: { page: PageEntry | undefined }): ReactNode {
  const { org, project } = useAddress();
  const isAbsent = usePlace().kind === "absent";
  return (
    <p className="min-w-0 flex-1 truncate text-ink-2">
      {!isAbsent && org !== undefined && `${org} / `}
      {!isAbsent && project !== undefined && project !== "-" && `${project} / `}
      <b className="font-medium text-ink">{isAbsent ? "Not found" : (page?.title ?? "")}</b>
    </p>
  );
}

/**
 * Renders the page only when the organization and project of its address are found. Otherwise the page would request
 * data of other projects.
 */
function Content({ page }: { page: PageEntry | undefined }): ReactNode {
  const place = usePlace();
  switch (place.kind) {
    case "loading":
      return (
        <Page title={page?.title ?? "Mooring"}>
          <Loading />
        </Page>
      );
    case "failed":
      return (
        <Page title={page?.title ?? "Mooring"}>
          <ErrorNote error={place.error}>
            <Button onClick={place.retry}>Try again</Button>
          </ErrorNote>
        </Page>
      );
    case "refused":
      return <Refused refusal={place.refusal} suspension={place.suspension} />;
    case "absent":
      return <Absent />;
    case "outside":
      return <Outlet />;
    case "found":
      if (page === undefined) return <Absent />;
      return (
        <AbsenceBoundary instead={<AbsentThing page={page} />}>
          <Guarded page={page} />
        </AbsenceBoundary>
      );
  }
}

/** Shown when the project exists, but an object in it does not. */
function AbsentThing({ page }: { page: PageEntry }): ReactNode {
  const [parent = ""] = page.path.split("/");
  const title = PAGES.find(({ path }) => path === parent)?.title ?? page.title;
  return (
    <Absent>
      <PageLink page={parent} className={PROSE_LINK}>
        Go to {title}
      </PageLink>
    </Absent>
  );
}

/** Shows the page, or says why the person can't see it. So the page sends no requests that the server would refuse. */
function Guarded({ page }: { page: PageEntry }): ReactNode {
  const sees = useSees();
  if (sees(page)) return <Outlet />;
  return (
    <Page title={page.title}>
      <h2 className="sr-only">Why it is empty</h2>
      <Empty title="You can't see this page">
        <p>
          It needs <code>{page.scope}</code>. None of your roles here has this permission. An owner or an admin of the
          organization can give you such a role.
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

/** Returns the page of the current route, with or without a slash at its end. */
function usePage(): PageEntry | undefined {
  const route = useRouterState({ select: ({ matches }): string => String(matches.at(-1)?.fullPath) });
  return PAGES.find(({ path }) => route === `/o/$org/$project/${path}`);
}
