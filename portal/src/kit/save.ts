/** Downloads content of this page as a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then the download has started, and the memory can be released.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
