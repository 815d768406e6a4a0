import type { Client } from "../client.ts";

/** A file as the server tells of it. */
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
}

/** The file operations of a server. Each throws as `Client.send` does. */
export interface FilesClient {
  readonly signal: AbortSignal;
  grant(file: NewFile): Promise<{ readonly upload_url: string; readonly file_id: string }>;
  download(id: string): Promise<Download>;
  list(query: Readonly<Record<string, string>>): Promise<FileList>;
  remove(id: string): Promise<void>;
}

export function createRemote(client: Client, signal: AbortSignal): FilesClient {
  const base = client.addresses.storage_url;
  const data = async <T>(purpose: string, path: string, body?: object): Promise<T> => {
    const more = body === undefined ? {} : { method: "POST" as const, body: JSON.stringify(body) };
    return (await client.json<{ data: T }>({ purpose, url: `${base}${path}`, signal, ...more })).data;
  };
  const at = (id: string): string => `/v1/files/${encodeURIComponent(id)}`;
  return {
    signal,
    grant: (file) => data("upload the file", "/v1/upload", file),
    download: (id) => data("download the file", `${at(id)}/download`),
    list: (query) => data("list files", `/v1/files?${new URLSearchParams(query).toString()}`),
    remove: async (id) => {
      await client.send({ purpose: `delete ${id}`, method: "DELETE", url: `${base}${at(id)}`, signal });
    },
  };
}
