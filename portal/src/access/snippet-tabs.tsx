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
  /** Known only right after its creation. */
  secretAccessKey?: string | undefined;
  bucket?: string | undefined;
  prefix?: string | undefined;
}

/** Returns the values for the snippets, or undefined while this server's endpoint is loading. */
function useS3Access(props: SnippetTabsProps): S3Access | undefined {
  const addresses = useAddresses();
  const { prefix = "" } = props;
  if (addresses === undefined) return undefined;
  return {
    endpoint: addresses.s3_endpoint,
    accessKeyId: props.accessKeyId ?? KEY_PLACEHOLDER,
    secretAccessKey: props.secretAccessKey ?? SECRET_PLACEHOLDER,
    bucket: props.bucket ?? BUCKET_PLACEHOLDER,
    // People paste these commands, so a prefix with hidden characters, for example a line end, is left out.
    prefix: visibleText(prefix) === prefix ? prefix : "",
  };
}

/** Shows ready settings for each S3 client. */
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

/** Shows a command that tests the key, because the portal can't sign requests to the gateway. */
export function TestCommand(props: SnippetTabsProps): ReactNode {
  const access = useS3Access(props);
  if (access === undefined) return null;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-ink-2">Try it: this lists the content of the bucket, or shows why the key is refused.</p>
      <CopyBlock text={testCommand(access)} label="command that tries the key" />
    </div>
  );
}
