import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { ownContentUrl } from "./download.ts";
import { PICTURE_BYTES_MAX, PREVIEW_BYTES_MAX, prettyJson, previewKindOf, type DownloadGrant } from "./files.ts";

/** Shows the content as text or as a picture. It never runs code from it. */
export function Preview({ id, grant }: { id: string; grant: DownloadGrant }): ReactNode {
  // Uses the first address: a renewed address must not load the content again.
  const [url] = useState(() => ownContentUrl(grant.download_url));
  const kind = previewKindOf(grant.content_type);
  if (grant.size_bytes === 0) return <p className="text-ink-2">The file is empty.</p>;
  if (url === null || kind === "none") return null;
  return (
    <>
      <h3>Preview</h3>
      {kind === "picture" ? (
        <Picture url={url} sizeBytes={grant.size_bytes} />
      ) : (
        <Text id={id} url={url} sizeBytes={grant.size_bytes} isJson={kind === "json"} />
      )}
    </>
  );
}

function Picture({ url, sizeBytes }: { url: string; sizeBytes: number }): ReactNode {
  const [isWanted, setWanted] = useState(sizeBytes <= PICTURE_BYTES_MAX);
  const [isBroken, setBroken] = useState(false);
  const [size, setSize] = useState("");
  if (!isWanted) return <Button onClick={() => setWanted(true)}>Show the picture ({bytesText(sizeBytes)})</Button>;
  if (isBroken) return <p className="text-ink-2">The content is not a picture of this type, or it is damaged.</p>;
  return (
    <figure className="flex flex-col gap-1">
      <img
        src={url}
        alt="The file's content"
        className="max-h-72 max-w-full self-start rounded border border-line bg-well object-contain"
        onError={() => setBroken(true)}
        onLoad={({ currentTarget }) => setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)}
      />
      <figcaption className="mono text-s text-ink-2">{size}</figcaption>
    </figure>
  );
}

interface TextProps {
  id: string;
  url: string;
  sizeBytes: number;
  isJson: boolean;
}

function Text({ id, url, sizeBytes, isJson }: TextProps): ReactNode {
  const [isRaw, setRaw] = useState(false);
  const result = useQuery({
    queryKey: ["preview", id],
    queryFn: ({ signal }) => beginningOf(url, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  const isWhole = sizeBytes <= PREVIEW_BYTES_MAX;
  return (
    <Loaded result={result}>
      {(text) => {
        const pretty = isJson && isWhole && !isRaw ? prettyJson(text) : undefined;
        return (
          <>
            <pre
              tabIndex={0}
              aria-label="the file's content"
              className="max-h-80 overflow-auto rounded border border-line bg-well p-2 text-s whitespace-pre"
            >
              {visibleText(pretty ?? text, { lines: true })}
            </pre>
            <p className="flex flex-wrap items-center gap-2 text-s text-ink-2">
              {isWhole ? "The whole file." : `The first ${bytesText(PREVIEW_BYTES_MAX)} of ${bytesText(sizeBytes)}.`}
              {isJson && isWhole && <Button onClick={() => setRaw(!isRaw)}>{isRaw ? "Indented" : "Original"}</Button>}
            </p>
          </>
        );
      }}
    </Loaded>
  );
}

async function beginningOf(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, headers: { range: `bytes=0-${PREVIEW_BYTES_MAX - 1}` } });
  if (!response.ok) throw new Error(`The content can't be read: ${response.status} ${response.statusText}`);
  return new TextDecoder().decode(await response.arrayBuffer());
}
