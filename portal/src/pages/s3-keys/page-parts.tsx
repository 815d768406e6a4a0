import type { ReactNode } from "react";
import type { Me } from "~/app/scope.ts";
import { State } from "~/kit/state.tsx";
import type { KeyState } from "~/access/s3-keys.ts";

/** A project by its slug; a key of none is the organization's. */
export function ProjectName({ id, me }: { id: string | null; me: Me | undefined }): ReactNode {
  if (id === null) return <span className="text-ink-2">the organization</span>;
  return <>{me?.projects.find((project) => project.id === id)?.slug ?? id}</>;
}

/** A key's state by shape and word. */
export function KeyStateText({ state }: { state: KeyState }): ReactNode {
  if (state === "live") return <State kind="go">works</State>;
  if (state === "cut") return <State kind="warn">may less than chosen</State>;
  if (state === "pending") return <State kind="warn">waits for approval</State>;
  return <State kind={state === "revoked" ? "stop" : "none"}>{state}</State>;
}
