import { FILE_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { State } from "~/kit/state.tsx";
import { shellWord } from "~/kit/shell.ts";
import { Time, useNow } from "~/kit/time.tsx";

const LIFETIMES: readonly (readonly [seconds: number, text: string])[] = [
  [15 * 60, "15 minutes"],
  [60 * 60, "1 hour"],
  [24 * 60 * 60, "1 day"],
  [7 * 24 * 60 * 60, "7 days"],
];
const FIRST_S = 60 * 60;

interface Shared {
  readonly url: string;
  readonly endsAt: Date;
}

/** Creates a link that works without signing in, until it expires. */
export function ShareDialog({
  id,
  filename,
  onClose,
}: {
  id: string;
  filename: string;
  onClose: () => void;
}): ReactNode {
  const { client } = useOrganization();
  const [seconds, setSeconds] = useState(FIRST_S);
  const [shared, setShared] = useState<Shared | null>(null);
  const share = useMutation({
    mutationFn: async () =>
      (await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: id }, query: { expires_in: seconds } }))
        .data,
    onSuccess: ({ download_url, expires_in }) =>
      setShared({ url: download_url, endsAt: new Date(Date.now() + expires_in * 1000) }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    share.mutate();
  };
  return (
    <Dialog title="Share by a link" about={<ForeignText text={filename} />} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p>
          Until it expires, everybody with the link can download the file without signing in. It stops working earlier
          if the file is deleted, or if you lose the permission to read files.
        </p>
        <SelectField
          label="It works for"
          value={seconds}
          onChange={({ target }) => {
            setSeconds(Number(target.value));
            setShared(null);
          }}
        >
          {LIFETIMES.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </SelectField>
        <div aria-live="polite" className="flex min-w-0 flex-col gap-2 empty:hidden">
          {shared !== null && <SharedLink shared={shared} />}
        </div>
        <ErrorNote error={share.error} />
        <DialogActions>
          <Button onClick={onClose}>{shared === null ? "Cancel" : "Done"}</Button>
          <Button look={shared === null ? "main" : "plain"} type="submit" busy={share.isPending}>
            {shared === null ? "Create link" : "Create another"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function SharedLink({ shared: { url, endsAt } }: { shared: Shared }): ReactNode {
  const isOver = useNow(1000) >= endsAt;
  if (isOver) return <State kind="stop">the link has expired</State>;
  return (
    <>
      <State kind="go">
        <span>
          works, ends <Time at={endsAt.toISOString()} />
        </span>
      </State>
      <CopyBlock text={url} label="share link" />
      <CopyBlock text={`curl -fsSOJ ${shellWord(url)}`} label="download by curl" />
    </>
  );
}
