import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { downloadPackages, type DebianPackage } from "./apt.ts";
import type { TreeEntry } from "./layout.ts";
import { runTool } from "./run-tool.ts";
import { link, textFile, treeOf } from "./tree.ts";

/** User and group of the server. */
export const USER_ID = 10_001;

/**
 * Debian's packages in the image. `only` names the programs that are used of a package; its other programs would need
 * many more packages.
 */
const PACKAGES: Readonly<Record<string, { readonly only?: readonly string[] }>> = {
  "base-files": {},
  netbase: {},
  tzdata: {},
  "ca-certificates": {},
  // Node and the SQL engine
  libc6: {},
  "gcc-12-base": {},
  "libgcc-s1": {},
  "libstdc++6": {},
  // a shell, which the sandbox of SQL starts, and a person who looks into a container
  dash: {},
  coreutils: {},
  libacl1: {},
  libattr1: {},
  libgmp10: {},
  libselinux1: {},
  "libpcre2-8-0": {},
  // the sandbox of SQL
  "util-linux": { only: ["usr/bin/unshare", "usr/bin/setpriv"] },
  "libcap-ng0": {},
  mount: { only: ["usr/bin/mount"] },
  libblkid1: {},
  libmount1: {},
};

export interface Base {
  readonly entries: readonly TreeEntry[];
  readonly packages: readonly DebianPackage[];
}

/** The base of the image's file system: Debian's packages and the accounts. `directory` is for downloads. */
export function baseOf(architecture: string, directory: string): Base {
  const packages = downloadPackages(Object.keys(PACKAGES), { architecture, directory });
  const entries = packages.flatMap((each) => filesOf(each, join(directory, "unpacked", each.name)));
  const all = [...entries, ...certificates(entries), ...packages.map(status), ...accounts(), ...places(architecture)];
  return { packages, entries: [...new Map(all.map((entry) => [entry.path, entry])).values()] };
}

function filesOf({ name, file }: DebianPackage, directory: string): TreeEntry[] {
  mkdirSync(directory, { recursive: true });
  runTool("dpkg-deb", ["--extract", file, directory]);
  const { only } = PACKAGES[name] ?? {};
  return treeOf(directory)
    .map((entry) => ({ ...entry, path: withUsr(entry.path) }))
    .filter(
      ({ path }) => isUsed(path) && (only === undefined || only.includes(path) || path.startsWith("usr/share/doc/")),
    );
}

/** Programs and libraries are below /usr only; /bin and /lib lead there. */
function withUsr(path: string): string {
  return /^s?bin\/|^lib(32|64|x32)?\//.test(path) ? `usr/${path}` : path;
}

/** Keeps licences only of the documentation; no message catalogues, no converters of character sets, nothing of other systems. */
function isUsed(path: string): boolean {
  if (path.startsWith("usr/share/doc/")) return /\/copyright$|^usr\/share\/doc\/[^/]+$/.test(path);
  return !/^usr\/share\/(man|info|locale|lintian|bash-completion|bug|debconf|menu)\/|^usr\/lib\/[^/]+\/gconv\/|^usr\/share\/zoneinfo\/(right|posix)\//.test(
    path,
  );
}

/** As `update-ca-certificates` makes it. */
function certificates(entries: readonly TreeEntry[]): TreeEntry[] {
  const texts = entries
    .filter(({ path }) => /^usr\/share\/ca-certificates\/.*\.crt$/.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ content }) => Buffer.from(content ?? []).toString());
  return [textFile("etc/ssl/certs/ca-certificates.crt", texts.join(""))];
}

/** Where scanners look for the packages of images without a package manager. */
function status({ name, file }: DebianPackage): TreeEntry {
  return textFile(`var/lib/dpkg/status.d/${name}`, runTool("dpkg-deb", ["--field", file]).toString());
}

function accounts(): TreeEntry[] {
  const nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
  const mooring = `mooring:x:${USER_ID}:${USER_ID}:Mooring:/nonexistent:/usr/sbin/nologin\n`;
  return [
    textFile("etc/passwd", `root:x:0:0:root:/root:/bin/sh\n${nobody}${mooring}`),
    textFile("etc/group", `root:x:0:\nnogroup:x:65534:\nmooring:x:${USER_ID}:\n`),
    textFile("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
  ];
}

/** Directories and links that Debian's scripts make when a package is installed. */
function places(architecture: string): TreeEntry[] {
  const loader = architecture === "amd64" ? [link("lib64", "usr/lib64")] : [];
  const directory = (path: string, mode = 0o755, id = 0): TreeEntry => ({ path, kind: "directory", mode, id });
  return [
    link("bin", "usr/bin"),
    link("sbin", "usr/sbin"),
    link("lib", "usr/lib"),
    ...loader,
    link("usr/bin/sh", "dash"),
    ...["dev", "etc/mooring", "proc", "run", "sys", "usr/sbin"].map((path) => directory(path)),
    directory("tmp", 0o1777),
    directory("var/tmp", 0o1777),
    directory("var/lib/mooring", 0o700, USER_ID),
  ];
}
