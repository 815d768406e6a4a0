import { BUCKET_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Select } from "~/kit/field.tsx";
import { Time } from "~/kit/time.tsx";
import type { Bucket } from "./objects.ts";

const LIFETIMES: readonly (readonly [seconds: number, text: string])[] = [
  [900, "15 minutes"],
  [3600, "an hour"],
  [86_400, "a day"],
  [604_800, "a week"],
];

interface ObjectLinkProps {
  bucket: Bucket;
  objectKey: string;
  version: string | undefined;
  /** Whether the object is encrypted with a customer key, so that only the key's owner can read it. */
  isSealed: boolean;
}

/** Creates a link for people without an account to download the object. */
export function ObjectLink({ bucket, objectKey: key, version, isSealed }: ObjectLinkProps): ReactNode {
  const [seconds, setSeconds] = useState(3600);
  const link = useAct(BUCKET_ROUTES.createObjectLink);
  if (isSealed)
    return (
      <p className="text-ink-2">
        The object is encrypted with a customer key, which the server does not have. So a link cannot work.
      </p>
    );
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="w-36">
          <Select aria-label="Works for" value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
            {LIFETIMES.map(([value, text]) => (
              <option key={value} value={value}>
                for {text}
              </option>
            ))}
          </Select>
        </span>
        <Button
          busy={link.isPending}
          onClick={() =>
            link.mutate({
              params: { app_id: bucket.app_id },
              body: { key, expires_in: seconds, ...(version === undefined ? {} : { version_id: version }) },
            })
          }
        >
          Create link
        </Button>
      </div>
      <ErrorNote error={link.error} />
      {link.data !== undefined && (
        <>
          <CopyBlock text={link.data.url} label="share link" />
          <p className="text-ink-2">
            Everybody with the link can download this object until <Time at={link.data.expires_at} />, or until you lose
            access.
          </p>
        </>
      )}
    </>
  );
}
