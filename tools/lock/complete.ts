/** The parts of package-lock.json (version 3) that completing it needs. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly os?: readonly string[] | string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Missing {
  readonly name: string;
  readonly version: string;
  /** True when only development needs it. */
  readonly dev: boolean;
}

/**
 * Optional packages that others name and that have no entry, by path. npm leaves an entry out when the registry in use did not
 * offer that package; then `npm ci` refuses the lock file, or leaves the package out on the platform that it is for.
 */
export function missingOptional(lock: Lock): Map<string, Missing> {
  const missing = new Map<string, Missing>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isThere(lock, path, name)) missing.set(`node_modules/${name}`, { name, version, dev: entry.dev === true });
    }
  }
  return missing;
}

/** Looks where Node would: in the node_modules of the package itself, then of those around it. */
function isThere(lock: Lock, path: string, name: string): boolean {
  for (let place = path; ; place = place.replace(/\/?(node_modules\/(@[^/]+\/)?)?[^/]*$/, "")) {
    if (`${place === "" ? "" : `${place}/`}node_modules/${name}` in lock.packages) return true;
    if (place === "") return false;
  }
}

/**
 * Adds an entry for each package that is missing. Whoever names it pins its version; its platform is in its name. Its integrity is
 * not known here, npm adds it where it first installs the package.
 * @throws Error for a version that is not exact, or a name without a platform
 */
export function completeLock(lock: Lock): Lock {
  const added: [string, LockEntry][] = [...missingOptional(lock)].map(([path, { name, version, dev }]) => {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      throw new Error(`cannot add ${name}: ${version} is not one version`);
    const { cpu, os, libc } = platformOf(name);
    return [
      path,
      { version, cpu, ...(dev ? { dev } : {}), ...(libc ? { libc } : {}), optional: true, ...(os ? { os } : {}) },
    ]; // npm's order
  });
  const entries = [...Object.entries(lock.packages), ...added];
  return { ...lock, packages: Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, "en"))) };
}

interface Platform {
  readonly cpu: readonly string[];
  readonly libc?: readonly string[];
  readonly os?: readonly string[];
}

/** The platform that a package of native code is named after, for example `@oxfmt/binding-linux-x64-gnu`. */
export function platformOf(name: string): Platform {
  if (name.includes("-wasm32-")) return { cpu: ["wasm32"] }; // for browsers; npm installs it nowhere
  const match =
    /(darwin|linux|win32|android|freebsd|openharmony)-(arm64|arm|x64|ia32|riscv64|s390x|ppc64|loong64)(?:-(\w+))?$/.exec(
      name,
    );
  const [, os, cpu, abi] = match ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`cannot add ${name}: its name has no platform`);
  if (os !== "linux" || abi === undefined) return { cpu: [cpu], os: [os] };
  return { cpu: [cpu], libc: [abi.startsWith("musl") ? "musl" : "glibc"], os: [os] };
}
