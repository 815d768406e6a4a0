/** The parts of package-lock.json (version 3) that the check reads. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  /** Whether it is a workspace's package, linked into node_modules. */
  readonly link?: boolean;
  /** Whether the package was inside the tarball of the package above it, whose integrity covers it. */
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Returns the faults of a lock file. Without faults, `npm ci` installs the same bytes everywhere: every package has an
 * `integrity`, and no platform's optional package was left out.
 */
export function faultsOf(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...integrityFaults(path, entry),
    ...platformFaults(lock, path, entry),
  ]);
}

function integrityFaults(path: string, entry: LockEntry): string[] {
  if (!path.includes("node_modules/") || entry.link === true || entry.inBundle === true) return [];
  if (/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? "")) return [];
  return [`${path}@${entry.version ?? "?"} has no sha512 integrity`];
}

/** npm leaves out an optional package if the registry does not offer that version of it. */
function platformFaults(lock: Lock, path: string, entry: LockEntry): string[] {
  return Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isThere(lock, path, name))
    .map(([name, version]) => `${name}@${version}, which ${path || "package.json"} names, has no entry`);
}

/** Searches as Node does: in the package's own node_modules, then in those of the folders above. */
function isThere(lock: Lock, path: string, name: string): boolean {
  for (let place = path; ; place = place.replace(/\/?(node_modules\/(@[^/]+\/)?)?[^/]*$/, "")) {
    if (`${place === "" ? "" : `${place}/`}node_modules/${name}` in lock.packages) return true;
    if (place === "") return false;
  }
}
