import type { ReactNode } from "react";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import type { ConnectRequest } from "./connect.tsx";

/** Commands that work as they stand, for what the page shows. */
export function ConnectDialog({ request, onClose }: { request: ConnectRequest; onClose: () => void }): ReactNode {
  const clientId = request.credential?.clientId ?? "CLIENT_ID";
  return (
    <Dialog title="Connect" onClose={onClose} wide>
      <CopyBlock text={`curl -u ${clientId} ${location.origin}/oauth/token -d grant_type=client_credentials`} />
    </Dialog>
  );
}
