import { useEffect, useRef, useState, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { messageOf } from "~/kit/error-note.tsx";
import { bytesText } from "~/kit/figures.ts";
import { saveFile } from "~/kit/save.ts";
import { useSay } from "~/kit/toast.tsx";
import type { Filters } from "./filters.ts";

/** Exports all matching entries as NDJSON, oldest first. It streams them into a file. */
export function ExportButton({ filters }: { filters: Filters }): ReactNode {
  const { client, slug } = useOrganization();
  const say = useSay();
  const [bytes, setBytes] = useState<number | null>(null);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const start = async (): Promise<void> => {
    const abort = new AbortController();
    leaving.current = abort;
    setBytes(0);
    try {
      const query = new URLSearchParams(filters as Record<string, string>).toString();
      const response = await client.send({
        purpose: "export the audit log",
        url: `${client.addresses.identity_url}/v1/audit/export${query === "" ? "" : `?${query}`}`,
        signal: abort.signal,
      });
      const content = await read(response, setBytes);
      saveFile(`audit-${slug}-${new Date().toISOString().slice(0, 10)}.ndjson`, content);
      say(`Exported ${bytesText(content.size)}`);
    } catch (error) {
      if (!abort.signal.aborted) say(error instanceof Error ? messageOf(error) : "The export was interrupted", "stop");
    } finally {
      setBytes(null);
    }
  };
  if (bytes !== null)
    return (
      <Button onClick={() => leaving.current?.abort()}>
        <span role="status">{bytesText(bytes)} read</span>, stop
      </Button>
    );
  return <Button onClick={() => void start()}>Export NDJSON</Button>;
}

async function read(response: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return new Blob(chunks, { type: "application/x-ndjson" });
    chunks.push(chunk.value);
    bytes += chunk.value.length;
    onBytes(bytes);
  }
}
