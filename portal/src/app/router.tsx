import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { QueryClient } from "@tanstack/react-query";
import { sessionQuery } from "~/api/session.ts";
import { Loading } from "~/kit/page.tsx";
import { AbsentPage, BrokenPage } from "./broken-page.tsx";
import { PAGES } from "./pages.ts";
import { Shell } from "./shell.tsx";
import { lastOrganization, meQuery, WHOLE_ORGANIZATION } from "./scope.ts";

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: AbsentPage });

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ context }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: "/sign-in" });
    const last = lastOrganization();
    const chosen = session.organizations.find(({ slug }) => slug === last) ?? session.organizations[0];
    if (chosen === undefined) throw redirect({ to: "/account" });
    void context.queries.prefetchQuery(meQuery(chosen.slug));
    throw redirect({ to: "/o/$org/$project", params: { org: chosen.slug, project: WHOLE_ORGANIZATION } });
  },
});

const open = [
  ["/sign-in", () => import("~/pages/sign-in/page.tsx")],
  ["/setup", () => import("~/pages/setup/page.tsx")],
  ["/reset", () => import("~/pages/reset/page.tsx")],
  ["/invitation", () => import("~/pages/invitation/page.tsx")],
] as const;

const openRoutes = open.map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") }),
);

/** The routes for signed-in people. Others are sent to the sign-in page, and then back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: "/sign-in", search: { return_to: location.href } });
  },
  component: Shell,
});

const own = [
  ["/account", () => import("~/pages/account/page.tsx")],
  ["/authorize", () => import("~/pages/authorize/page.tsx")],
  ["/device", () => import("~/pages/device/page.tsx")],
  ["/instance", () => import("~/pages/instance/page.tsx")],
] as const;

const ownRoutes = own.map(([path, load]) =>
  createRoute({ getParentRoute: () => signedIn, path, component: lazyRouteComponent(load, "Page") }),
);

const scope = createRoute({ getParentRoute: () => signedIn, path: "/o/$org/$project", component: Outlet });

const pageRoutes = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => scope,
    path: page.path === "" ? "/" : page.path,
    component: lazyRouteComponent(page.load, "Page"),
  }),
);

export function createPortalRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      start,
      ...openRoutes,
      signedIn.addChildren([...ownRoutes, scope.addChildren(pageRoutes)]),
    ]),
    context: { queries },
    defaultPreload: "intent",
    defaultPendingComponent: Loading,
    defaultErrorComponent: BrokenPage,
    scrollRestoration: true,
  });
}
