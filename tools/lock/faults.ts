import { exceptionOf, isAllowed, LICENCE_EXCEPTIONS, type LicenceException } from "./licences.ts";
import { isThirdParty, packageNameOf, resolvePackage, type Lock, type LockEntry } from "./lock.ts";

/** Packages for development whose install script may exist, by name, with the reason. `.npmrc` runs none. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  "@swc/core": "the script only replaces a missing native binding; the rules of style parse with this package",
};

/**
 * Returns the faults of a lock file. Without faults, `npm ci` installs the same bytes everywhere and runs no install
 * script: every package has an `integrity`, no platform's optional package was left out, and no published package has
 * an install script. Every licence is allowed, or is an exception with a reason.
 */
export function faultsOf(lock: Lock, exceptions: readonly LicenceException[] = LICENCE_EXCEPTIONS): string[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...(isThirdParty(path, entry)
      ? [...integrityFaults(path, entry), ...scriptFaults(path, entry), ...licenceFaults(path, entry, exceptions)]
      : []),
    ...platformFaults(lock, path, entry),
  ]);
}

function integrityFaults(path: string, entry: LockEntry): string[] {
  if (entry.inBundle === true || /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? "")) return [];
  return [`${titleOf(path, entry)} has no sha512 integrity`];
}

function scriptFaults(path: string, entry: LockEntry): string[] {
  if (entry.hasInstallScript !== true) return [];
  if (entry.dev === true && packageNameOf(path) in INSTALL_SCRIPTS) return [];
  return [`${titleOf(path, entry)} has an install script`];
}

function licenceFaults(path: string, entry: LockEntry, exceptions: readonly LicenceException[]): string[] {
  if (entry.license !== undefined && isAllowed(entry.license)) return [];
  const exception = exceptionOf(packageNameOf(path), exceptions);
  if (exception !== undefined && (entry.license ?? exception.licence) === exception.licence) return [];
  const licence = entry.license === undefined ? "states no licence" : `has the licence ${entry.license}`;
  return [`${titleOf(path, entry)} ${licence}, which tools/lock/licences.ts does not allow`];
}

/** Returns the names of exceptions that no package needs. Each could allow a package that is added later. */
export function unusedExceptions(lock: Lock, exceptions: readonly LicenceException[] = LICENCE_EXCEPTIONS): string[] {
  const names = Object.keys(lock.packages).map(packageNameOf);
  return exceptions
    .filter((each) => !names.some((name) => exceptionOf(name, [each]) !== undefined))
    .map(({ name }) => name);
}

/** npm leaves out an optional package if the registry does not offer that version of it. */
function platformFaults(lock: Lock, path: string, entry: LockEntry): string[] {
  return Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => resolvePackage(lock, path, name) === undefined)
    .map(([name, version]) => `${name}@${version}, which ${path || "package.json"} names, has no entry`);
}

function titleOf(path: string, { version = "?" }: LockEntry): string {
  return `${path}@${version}`;
}
