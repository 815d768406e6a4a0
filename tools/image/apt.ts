import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "./layout.ts";
import { runTool } from "./run-tool.ts";

/** A package that apt downloaded and checked against the archive's signature. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** The downloaded `.deb`. */
  readonly file: string;
  readonly sha256: string;
}

/** The release of Debian whose packages the image has. */
export const CODENAME = "bookworm";

/**
 * Downloads packages for an architecture, without their dependencies. The archives are those of this machine's apt, so
 * no address is here, and apt checks their signatures; the lists are in a directory of this build.
 */
export function downloadPackages(
  names: readonly string[],
  { architecture, directory }: { readonly architecture: string; readonly directory: string },
): DebianPackage[] {
  const options = privateApt(architecture, directory);
  runTool("apt-get", [...options, "-q", "update"]);
  const files = join(directory, "files");
  mkdirSync(files, { recursive: true });
  runTool("apt-get", [...options, "-q", "download", ...names], { cwd: files });
  return readdirSync(files)
    .map((name) => packageOf(join(files, name)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Options that keep apt away from the packages and lists of this machine. */
function privateApt(architecture: string, directory: string): string[] {
  for (const each of ["state/lists/partial", "cache/archives/partial", "sources"])
    mkdirSync(join(directory, each), { recursive: true });
  writeFileSync(join(directory, "status"), "");
  writeFileSync(join(directory, "sources/debian.list"), debianSources());
  const settings: Record<string, string> = {
    "Dir::Etc::sourcelist": "/dev/null",
    "Dir::Etc::sourceparts": join(directory, "sources"),
    "Dir::State": join(directory, "state"),
    "Dir::State::status": join(directory, "status"),
    "Dir::Cache": join(directory, "cache"),
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** The lines of this machine's archives of Debian itself. @throws Error on another system */
function debianSources(): string {
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const targets = runTool("apt-get", ["indextargets", "--format", format, "Created-By: Packages"]).toString();
  const releases = ["", "-updates", "-security"].map((suffix) => `${CODENAME}${suffix}`);
  const lines = targets.split("\n").filter((line) => releases.includes(line.split(" ")[1] ?? ""));
  if (lines.length === 0) {
    const system = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "this system";
    throw new Error(`cannot make the image on ${system}: its apt has no archive of Debian ${CODENAME}`);
  }
  return [...new Set(lines)].map((line) => `deb ${line}\n`).join("");
}

function packageOf(file: string): DebianPackage {
  const text = runTool("dpkg-deb", ["--show", "--showformat=${Package}\n${Version}\n${Architecture}", file]).toString();
  const [name = "", version = "", architecture = ""] = text.split("\n");
  return { name, version, architecture, file, sha256: digestOf(readFileSync(file)) };
}
