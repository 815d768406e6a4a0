import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";

/** Whatever a page threw: what it was, and a way on. */
export function BrokenPage({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <main className="flex flex-col items-start gap-3 p-5">
      <h1>This page can't be shown</h1>
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />
      <Button look="main" onClick={reset}>
        Try again
      </Button>
    </main>
  );
}

export function AbsentPage(): ReactNode {
  return (
    <main className="flex flex-col items-start gap-3 p-5">
      <h1>There is nothing at this address</h1>
      <p className="text-ink-2">It may have moved, or you may not see it. </p>
      <Link to="/" className="text-sea underline">
        Go to the start
      </Link>
    </main>
  );
}
