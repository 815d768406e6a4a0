import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Absent } from "./absent.tsx";

/** Shows the error that a page threw, and ways to continue. */
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

/** Shown at an address that has no page. */
export function AbsentPage(): ReactNode {
  return (
    <main className="p-5">
      <Absent />
    </main>
  );
}
