import type { Client } from "@mooring/client";

export interface FileFacts {
  readonly id: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly created_at: string;
  readonly sha256: string;
  readonly project_id: string | null;
}

export interface NewFile {
  readonly filename: string;
  readonly content_type: string;
  readonly size_bytes?: number | undefined;
  readonly project?: string | undefined;
}

export interface FileList {
  readonly files: readonly FileFacts[];
  readonly total: number;
}

export interface Download {
  readonly download_url: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/** The file operations of a server. Each throws like `Client.send`. */
export interface FilesClient {
  readonly signal: AbortSignal;
  grant(file: NewFile): Promise<{ readonly upload_url: string; readonly file_id: string }>;
  download(id: string): Promise<Download>;
  list(query: Readonly<Record<string, string>>): Promise<FileList>;
  /** The file of this id and name, or undefined. */
  find(id: string, filename: string): Promise<FileFacts | undefined>;
  /** Moves the file to the trash. Deletes it for good if `permanent`, or if the organization has no trash. */
  remove(id: string, options: { readonly permanent: boolean }): Promise<void>;
  restore(id: string): Promise<void>;
}

const PAGE = 100;

export function createRemote(client: Client, signal: AbortSignal): FilesClient {
  const base = client.addresses.storage_url;
  const data = async <T>(purpose: string, path: string, body?: object): Promise<T> => {
    const more = body === undefined ? {} : { method: "POST" as const, body: JSON.stringify(body) };
    return (await client.json<{ data: T }>({ purpose, url: `${base}${path}`, signal, ...more })).data;
  };
  const at = (id: string): string => `/v1/files/${encodeURIComponent(id)}`;
  const list = (query: Readonly<Record<string, string>>): Promise<FileList> =>
    data("list files", `/v1/files?${new URLSearchParams(query).toString()}`);
  return {
    signal,
    grant: (file) => data("upload the file", "/v1/upload", file),
    download: (id) => data("download the file", `${at(id)}/download`),
    list,
    find: async (id, filename) => {
      for (let offset = 0; ; offset += PAGE) {
        const { files, total } = await list({ prefix: filename, limit: String(PAGE), offset: String(offset) });
        const found = files.find((file) => file.id === id);
        if (found !== undefined || offset + PAGE >= total) return found;
      }
    },
    remove: async (id, { permanent }) => {
      const url = `${base}${at(id)}${permanent ? "?permanent=true" : ""}`;
      await client.send({ purpose: `delete ${id}`, method: "DELETE", url, signal });
    },
    restore: async (id) => {
      await client.send({ purpose: `restore ${id}`, method: "POST", url: `${base}${at(id)}/restore`, signal });
    },
  };
}
