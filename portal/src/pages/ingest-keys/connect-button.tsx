import { useState, type ReactNode } from "react";
import type { IngestKey } from "~/access/ingest-keys.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { AgentSetup } from "./agent-setup.tsx";

/** Opens the configurations of agents for a key whose secret is not known any more. */
export function ConnectButton({ ingestKey }: { ingestKey: IngestKey }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Connect an agent</Button>
      {isOpen && (
        <Dialog
          title={`Connect with ${visibleText(ingestKey.name)}`}
          about="The configuration of an agent that sends telemetry with this key."
          onClose={() => setOpen(false)}
          wide
        >
          <AgentSetup ingestKey={ingestKey} secret={null} />
        </Dialog>
      )}
    </>
  );
}
