/** A chosen file. If it is in a folder, its name is its path in the folder. */
export interface ChosenFile {
  readonly file: File;
  readonly name: string;
}

const FILES_MAX = 10_000;

/** Returns the dropped files, and the files in dropped folders with their paths. */
export async function filesDropped(transfer: DataTransfer): Promise<ChosenFile[]> {
  // Entries must be read before the first await: later the browser has removed them.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ file, name: file.name }));
  const files: ChosenFile[] = [];
  for (const entry of entries) await collect(entry, files);
  return files;
}

async function collect(entry: FileSystemEntry, files: ChosenFile[]): Promise<void> {
  if (files.length >= FILES_MAX) return;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    files.push({ file, name: entry.fullPath.replace(/^\//, "") });
  } else if (isDirectory(entry)) {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const each of some) await collect(each, files);
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
