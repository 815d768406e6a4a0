/** A file that was chosen; within a folder its name is its path there. */
export interface ChosenFile {
  readonly file: File;
  readonly name: string;
}

const FILES_MAX = 10_000;

/** The dropped files, and those within dropped folders by their path. */
export async function filesDropped(transfer: DataTransfer): Promise<ChosenFile[]> {
  // Entries have to be taken before anything is waited for.
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
