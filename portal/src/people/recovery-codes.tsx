import { useState, type ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { DialogActions } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { downloadText } from "./download.ts";

/** Shows recovery codes once, to copy or download. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): ReactNode {
  const { user } = useSession();
  const [kept, setKept] = useState(false);
  const text = codes.join("\n");
  const file = `Recovery codes of ${user.email} at ${location.host}\nEach works once, instead of the authenticator app.\n\n${text}\n`;
  return (
    <div className="flex flex-col gap-3">
      <p>
        These {codes.length} recovery codes let you sign in without the app. Each works once. They are shown only now.
        Save them with your passwords, not on the phone with the app.
      </p>
      <ul
        aria-label="Recovery codes"
        className="mono grid grid-cols-2 gap-x-4 gap-y-1 rounded border border-line bg-well p-3 max-[380px]:grid-cols-1"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy all" />
        <Button onClick={() => downloadText("mooring-recovery-codes.txt", file)}>Download</Button>
      </div>
      <Checkbox label="I have saved them" checked={kept} onChange={(event) => setKept(event.target.checked)} />
      <DialogActions>
        <Button look="main" disabled={!kept} onClick={onDone}>
          Continue
        </Button>
      </DialogActions>
    </div>
  );
}
