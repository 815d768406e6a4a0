import { FILE_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { State } from "~/kit/state.tsx";
import { shellWord } from "~/kit/shell.ts";
import { Time, useNow } from "~/kit/time.tsx";

interface Shared {
  readonly url: string;
  readonly endsAt: Date;
}

/** A link that opens without signing in, until it ends. */
export function ShareLink({ id }: { id: string }): ReactNode {
  const { client } = useOrganization();
  const [shared, setShared] = useState<Shared | null>(null);
  const share = useMutation({
    mutationFn: async () => (await client.call(FILE_ROUTES.getFileDownload, { params: { file_id: id } })).data,
    onSuccess: ({ download_url, expires_in }) =>
      setShared({ url: download_url, endsAt: new Date(Date.now() + expires_in * 1000) }),
  });
  return (
    <>
      <h3>Share link</h3>
      <p className="text-ink-2">
        Whoever has it downloads the file without signing in, until it ends. It also ends when the file is deleted and
        with your right to read files.
      </p>
      {shared !== null && <SharedLink shared={shared} />}
      <ErrorNote error={share.error} />
      <div>
        <Button busy={share.isPending} onClick={() => share.mutate()}>
          {shared === null ? "Make a share link" : "Make a new one"}
        </Button>
      </div>
    </>
  );
}

function SharedLink({ shared: { url, endsAt } }: { shared: Shared }): ReactNode {
  const isOver = useNow(1000) >= endsAt;
  if (isOver) return <State kind="stop">the link has ended</State>;
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
