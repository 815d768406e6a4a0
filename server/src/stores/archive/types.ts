/** A file of an archive, as its list names it. */
export interface ArchivedFile {
  /** Relative to the archive, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The end of the name of an unfinished file. */
export const UNFINISHED = ".part";

/** The bytes of a file from `start` to before `end`. */
export interface ArchiveRange {
  readonly start: number;
  readonly end: number;
}

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A directory or a prefix of a bucket, with files that are written once. A file exists only when it is complete. */
export interface Archive {
  /** For messages. */
  readonly name: string;
  /** Resolves when the file is durable. Replaces a file of the same path. */
  write(path: string, content: Chunks): Promise<ArchivedFile>;
  /** Writes a small file that no other process has written. Resolves to false, without a change, when the file exists. */
  create(path: string, content: Uint8Array): Promise<boolean>;
  /** @throws Error when the file is missing */
  read(path: string, range?: ArchiveRange): AsyncIterable<Uint8Array>;
  /** Resolves to the size, or to undefined when the file does not exist. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Lists the files whose paths begin with a folder (`packs/`), or all files. Unfinished files are listed, too. */
  paths(folder?: string): AsyncIterable<string>;
  /** Deletes a file. If there is none, that is not an error. */
  remove(path: string): Promise<void>;
  /** Makes all names durable. */
  finish(): Promise<void>;
  close(): void;
}
