import { useEffect, useRef, useState, type ReactNode } from "react";
import { EXPORT_FORMATS, ExportTooLargeError, exportQuery, saveAs, type ExportFormat } from "~/api/stream-export.ts";
import { useAddresses } from "~/api/addresses.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText } from "~/kit/figures.ts";
import { Menu, MenuItem, MenuLabel, MenuLine } from "~/kit/menu.tsx";
import { queryCommand, queryCurl } from "~/kit/query-snippets.ts";
import { useSay } from "~/kit/toast.tsx";
import type { SqlPage } from "./use-sql.ts";

/** Saves the whole result as a file, or shows the command for a terminal. */
export function ExportMenu({ page, sql }: { page: SqlPage; sql: string }): ReactNode {
  const [format, setFormat] = useState<ExportFormat | null>(null);
  const addresses = useAddresses();
  const say = useSay();
  const copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(() => say("Copied as curl"));
  };
  return (
    <>
      <Menu trigger={<Button disabled={sql.trim() === ""}>Export ▾</Button>}>
        <MenuLabel>Run again, and save all rows</MenuLabel>
        {(Object.keys(EXPORT_FORMATS) as ExportFormat[]).map((each) => (
          <MenuItem key={each} onSelect={() => setFormat(each)}>
            {EXPORT_FORMATS[each].title}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => copy(queryCurl(addresses?.query_url ?? location.origin, page.requestOf(sql)))}>
          Copy as curl
        </MenuItem>
      </Menu>
      {format !== null && <ExportDialog page={page} sql={sql} format={format} onClose={() => setFormat(null)} />}
    </>
  );
}

function ExportDialog({
  page,
  sql,
  format,
  onClose,
}: {
  page: SqlPage;
  sql: string;
  format: ExportFormat;
  onClose: () => void;
}): ReactNode {
  const { bytes, done, error } = useExport(page, sql, format);
  const command = queryCommand(page.requestOf(sql), { format, output: `result.${format}` });
  return (
    <Dialog title={`Export as ${EXPORT_FORMATS[format].title}`} onClose={onClose} wide>
      <p role="status">
        {error !== null ? "Nothing was saved." : done ? `Saved, ${bytesText(bytes)}.` : `${bytesText(bytes)} so far…`}
      </p>
      <ErrorNote error={error} />
      {error instanceof ExportTooLargeError ? null : (
        <p className="text-ink-2">A page can save up to 256 MiB. The command line has no such limit:</p>
      )}
      <CopyBlock text={command} label="command that writes the whole result" />
      <DialogActions>
        <Button onClick={onClose}>{done || error !== null ? "Close" : "Cancel"}</Button>
      </DialogActions>
    </Dialog>
  );
}

function useExport(
  page: SqlPage,
  sql: string,
  format: ExportFormat,
): { bytes: number; done: boolean; error: Error | null } {
  const [bytes, setBytes] = useState(0);
  const [done, setDone] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const asked = useRef({ client: page.client, request: page.requestOf(sql) });
  useEffect(() => {
    const stop = new AbortController();
    const { client, request } = asked.current;
    exportQuery(client, request, { format, signal: stop.signal, onProgress: setBytes })
      .then((content) => {
        saveAs(content, `result.${format}`);
        setDone(true);
      })
      .catch((reason: unknown) => {
        if (!stop.signal.aborted) setError(reason as Error);
      });
    return () => stop.abort();
  }, [format]);
  return { bytes, done, error };
}
