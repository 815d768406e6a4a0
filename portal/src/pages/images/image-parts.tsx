import type { ReactNode } from "react";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Badge } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { platformText, referrerName, shortDigest, type Manifest } from "./images.ts";

interface PartsProps {
  manifest: Manifest;
  /** Opens another manifest of the repository. */
  goTo: (digest: string) => void;
}

/** Lists the images of an index, one for each platform. */
export function Platforms({ manifest: { platforms }, goTo }: PartsProps): ReactNode {
  return (
    <>
      <h3>Platforms</h3>
      <ul>
        {platforms.map((platform) => (
          <li key={platform.digest} className="flex min-h-[30px] flex-wrap items-center gap-x-3 border-t border-line">
            <Badge>{visibleText(platformText(platform))}</Badge>
            <DigestButton digest={platform.digest} goTo={goTo} />
            <span className="mono ml-auto">{bytesText(platform.total_size_bytes)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Lists the layers from bottom to top, each with a bar for its size. */
export function Layers({ manifest: { layers } }: Pick<PartsProps, "manifest">): ReactNode {
  const largest = Math.max(1, ...layers.map(({ size_bytes }) => size_bytes));
  return (
    <>
      <h3>Layers ({layers.length})</h3>
      <ol>
        {layers.map((layer, index) => (
          // The index is the key, because a layer may occur twice.
          <li key={index} className="border-t border-line py-1">
            <span className="flex items-center gap-x-3">
              <code title={layer.digest}>{shortDigest(layer.digest)}</code>
              {layer.foreign && <Badge>kept elsewhere</Badge>}
              <span className="mono ml-auto">{bytesText(layer.size_bytes)}</span>
            </span>
            <span className="mt-0.5 block h-1.5 bg-well" aria-hidden="true">
              <span className="block h-1.5 bg-sea" style={{ width: `${(layer.size_bytes / largest) * 100}%` }} />
            </span>
            <span className="block truncate text-s text-ink-3" title={visibleText(layer.media_type)}>
              {visibleText(layer.media_type)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

const REFERRERS_MAX = 100;

/** Lists signatures, bills of materials and other artifacts that refer to this image. */
export function Referrers({ manifest: { referrers }, goTo }: PartsProps): ReactNode {
  return (
    <>
      <h3>About this image</h3>
      {referrers.length === 0 && (
        <p className="text-ink-2">No signature, bill of materials or attestation refers to it.</p>
      )}
      {referrers.length > 0 && (
        <ul>
          {referrers.map((referrer) => (
            <li key={referrer.digest} className="border-t border-line py-1">
              <span className="flex flex-wrap items-center gap-x-3">
                <span>{referrerName(referrer)}</span>
                <DigestButton digest={referrer.digest} goTo={goTo} />
                <span className="mono">{bytesText(referrer.size_bytes)}</span>
                <span className="ml-auto text-ink-2">
                  <Time at={referrer.created_at} />
                </span>
              </span>
              <code className="block text-s [overflow-wrap:anywhere] text-ink-3">
                {visibleText(referrer.artifact_type ?? referrer.media_type)}
              </code>
            </li>
          ))}
        </ul>
      )}
      {referrers.length >= REFERRERS_MAX && <p className="text-s text-ink-2">The first {REFERRERS_MAX}.</p>}
    </>
  );
}

function DigestButton({ digest, goTo }: { digest: string; goTo: (digest: string) => void }): ReactNode {
  return (
    <button type="button" title={digest} className="mono min-h-6 text-sea hover:underline" onClick={() => goTo(digest)}>
      {shortDigest(digest)}
    </button>
  );
}
