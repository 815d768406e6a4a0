import { ApiError } from "@mooring/client";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { sessionQuery } from "~/api/session.ts";
import { Toasts } from "~/kit/toast.tsx";
import { createPortalRouter } from "./router.tsx";

/** Creates the query client. It does not retry, because the API client does. */
export function createQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
    queryCache: new QueryCache({
      onError: (error) => {
        // The session has ended, for example in another tab: reading the session again leads to the sign-in page.
        if (error instanceof ApiError && error.status === 401)
          void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    }),
  });
  return queries;
}

export function App({ queries }: { queries: QueryClient }): ReactNode {
  const [router] = useState(() => createPortalRouter(queries));
  return (
    <QueryClientProvider client={queries}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </QueryClientProvider>
  );
}
