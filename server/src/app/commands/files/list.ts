import { printable } from "../printable.ts";
import { tableText, terminalWidth } from "../table.ts";
import type { FileFacts, FileList, FilesClient } from "./remote.ts";

const PAGE = 100;

/** Lists the newest files page by page, each once even if files are added or deleted meanwhile. */
export async function listAll(
  remote: FilesClient,
  query: { readonly prefix: string | undefined; readonly project: string | undefined; readonly limit: number },
): Promise<FileList> {
  const { prefix, project, limit } = query;
  const found = new Map<string, FileFacts>();
  const filters = { ...(prefix === undefined ? {} : { prefix }), ...(project === undefined ? {} : { project }) };
  let total = 0;
  for (let offset = 0; found.size < limit; offset += PAGE) {
    const page = await remote.list({ ...filters, limit: String(PAGE), offset: String(offset) });
    ({ total } = page);
    for (const file of page.files) if (found.size < limit) found.set(file.id, file);
    if (page.files.length < PAGE) break;
  }
  return { files: [...found.values()], total };
}

const COLUMNS = [
  { name: "id", type: "VARCHAR" },
  { name: "created_at", type: "TIMESTAMP" },
  { name: "size_bytes", type: "BIGINT" },
  { name: "content_type", type: "VARCHAR" },
  { name: "filename", type: "VARCHAR" },
];

export function listText({ files, total }: FileList): string {
  if (files.length === 0) return "There are no files.\n";
  const rows = files.map((file) => ({ ...file, filename: printable(file.filename) }));
  const more = files.length < total ? `(${files.length} of ${total}; --limit N shows N)\n` : "";
  return tableText(COLUMNS, rows, terminalWidth()) + more;
}
