import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Tabs } from "~/kit/tabs.tsx";
import {
  BUCKET_PLACEHOLDER,
  KEY_PLACEHOLDER,
  SECRET_PLACEHOLDER,
  s3Snippets,
  testCommand,
  type S3Access,
} from "./snippets.ts";

interface SnippetTabsProps {
  accessKeyId?: string | undefined;
  /** Known right after it was made only. */
  secretAccessKey?: string | undefined;
  bucket?: string | undefined;
  prefix?: string | undefined;
}

/** The values for the snippets, with this server's endpoint; undefined while that is loading. */
function useS3Access(props: SnippetTabsProps): S3Access | undefined {
  const addresses = useAddresses();
  const { prefix = "" } = props;
  if (addresses === undefined) return undefined;
  return {
    endpoint: addresses.s3_endpoint,
    accessKeyId: props.accessKeyId ?? KEY_PLACEHOLDER,
    secretAccessKey: props.secretAccessKey ?? SECRET_PLACEHOLDER,
    bucket: props.bucket ?? BUCKET_PLACEHOLDER,
    // A prefix with hidden characters, such as a line end, must not get into a command that people paste.
    prefix: visibleText(prefix) === prefix ? prefix : "",
  };
}

/** Ready settings for each client of S3. */
export function SnippetTabs(props: SnippetTabsProps): ReactNode {
  const [client, setClient] = useState("aws");
  const access = useS3Access(props);
  if (access === undefined) return null;
  const tabs = s3Snippets(access).map(({ id, title, about, text }) => ({
    id,
    title,
    content: (
      <>
        <p className="text-s text-ink-2">{about}</p>
        <CopyBlock text={text} label={`settings for ${title}`} />
      </>
    ),
  }));
  return <Tabs label="Clients" tabs={tabs} value={client} onChange={setClient} />;
}

/** A browser can't sign requests to the gateway; this shows a command that does. */
export function TestCommand(props: SnippetTabsProps): ReactNode {
  const access = useS3Access(props);
  if (access === undefined) return null;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-ink-2">Try it: this lists the content of the bucket. A refusal says why.</p>
      <CopyBlock text={testCommand(access)} label="command that tries the key" />
    </div>
  );
}
