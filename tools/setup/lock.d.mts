/** Runs `work` while no other process holds the lock file; waits for its turn. A dead holder's lock is taken over. */
export function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T>;
