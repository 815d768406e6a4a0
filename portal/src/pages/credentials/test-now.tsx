import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { durationText } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";

type Outcome =
  | { readonly kind: "idle" | "busy" }
  | { readonly kind: "taken"; readonly scope: string; readonly seconds: number; readonly tookMs: number }
  | { readonly kind: "refused"; readonly why: string };

/** Gets a token with the secret, shows its scopes, and discards it. */
export function TestNow({ clientId, clientSecret }: { clientId: string; clientSecret: string }): ReactNode {
  const [outcome, setOutcome] = useState<Outcome>({ kind: "idle" });
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const run = async (): Promise<void> => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    setOutcome({ kind: "busy" });
    const result = await takeToken(clientId, clientSecret, controller.signal);
    if (!controller.signal.aborted) setOutcome(result);
  };
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={() => void run()} busy={outcome.kind === "busy"}>
        Test now
      </Button>
      <div role="status" className="min-w-0 flex-1 basis-56">
        {outcome.kind === "idle" && <span className="text-ink-2">Gets a token with the secret, and discards it.</span>}
        {outcome.kind === "taken" && (
          <State kind="go">
            <span className="[overflow-wrap:anywhere] whitespace-normal">
              A token of {outcome.seconds} s came after {durationText(outcome.tookMs)}, for <code>{outcome.scope}</code>
            </span>
          </State>
        )}
        {outcome.kind === "refused" && (
          <State kind="stop">
            <span className="whitespace-normal">{outcome.why}</span>
          </State>
        )}
      </div>
    </div>
  );
}

async function takeToken(clientId: string, clientSecret: string, signal: AbortSignal): Promise<Outcome> {
  const startedMs = performance.now();
  try {
    const response = await fetch("/oauth/token", {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
      credentials: "omit",
      cache: "no-store",
      signal,
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    const text = (name: string): string => (typeof answer[name] === "string" ? answer[name] : "");
    if (!response.ok)
      return { kind: "refused", why: text("error_description") || text("error") || response.statusText };
    const tookMs = performance.now() - startedMs;
    return { kind: "taken", scope: text("scope"), seconds: Number(answer["expires_in"]), tookMs };
  } catch {
    return { kind: "refused", why: "The server did not answer. Check that it is running." };
  }
}
