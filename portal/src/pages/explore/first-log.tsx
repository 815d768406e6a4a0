import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { TelemetryOutside } from "~/app/outside.tsx";
import { Button, Spinner } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Empty } from "~/kit/page.tsx";
import { firstLogCommand } from "./first-log-command.ts";

/**
 * Shown before the first entry: the purpose of the page, and a command that sends an entry. The entry appears when it
 * arrives.
 */
export function FirstLog(): ReactNode {
  const addresses = useAddresses();
  const connect = useConnect();
  return (
    <section className="rounded border border-line bg-sheet">
      <h2 className="sr-only">Beginning</h2>
      <Empty
        title="No log entry yet"
        action={
          <Button look="main" onClick={() => connect({ topic: "telemetry" })}>
            Connect an app
          </Button>
        }
      >
        <TelemetryOutside table="logs" page="explore" />
        <p>The logs of your apps appear here a moment after they are sent. Send a first entry:</p>
        {addresses !== undefined && (
          <CopyBlock label="command that sends a first entry" text={firstLogCommand(addresses)} />
        )}
        <p>
          CLIENT_ID and CLIENT_SECRET belong to a credential with <code>telemetry:write</code>. Connect shows where to
          create one.
        </p>
        <p role="status" className="flex items-center gap-2">
          <Spinner /> Waiting for the first entry…
        </p>
      </Empty>
    </section>
  );
}
