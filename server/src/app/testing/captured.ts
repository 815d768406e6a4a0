/** Runs work in this process, and returns what it writes to standard output. */
export async function captured(work: () => Promise<unknown>): Promise<{ readonly stdout: string }> {
  const write = process.stdout.write.bind(process.stdout);
  let stdout = "";
  process.stdout.write = (chunk: string | Uint8Array) => {
    stdout += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
  return { stdout };
}
