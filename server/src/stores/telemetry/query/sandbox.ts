import { spawn } from "node:child_process";
import { access, realpath } from "node:fs/promises";
import { packageFile, programPath } from "#kernel/programs.ts";
import { CHILD_BASE_BYTES, CHILD_HEAP_MIB, type QueryEngineSettings } from "./settings.ts";

/** One layer of the sandbox, for `doctor` and for tests. */
export interface SandboxLayer {
  readonly name: "limits" | "namespaces" | "read-only files" | "hidden data" | "privileges" | "memory watchdog";
  readonly active: boolean;
  readonly detail: string;
}

/** How children start on this machine, and their layers of protection. */
export interface Sandbox {
  readonly file: string;
  readonly args: readonly string[];
  readonly layers: readonly SandboxLayer[];
}

const PROBE_TIMEOUT_MS = 5000;
const OPEN_FILES_MAX = 1024;
const SHELL = "/bin/sh";

// $1: RLIMIT_DATA in KiB. No file can grow (-f 0), no core is dumped, and the kernel kills this process first when memory is
// short.
const LIMITS = `
ulimit -c 0; ulimit -f 0; ulimit -n ${OPEN_FILES_MAX}; ulimit -d "$1"
[ ! -w /proc/self/oom_score_adj ] || echo 1000 > /proc/self/oom_score_adj
shift
unset PWD OLDPWD
exec "$@"
`;

// $1: the telemetry directory, $2: the data directory or empty, $3: whether the data directory is hidden or kept. Runs as
// root of a new mount namespace. The bind mount uses the working directory, because its path is already covered.
const MOUNTS = `
set -e
telemetry=$1; data=$2; how=$3; shift 3
cd "$telemetry"
if [ "$how" = hidden ]; then
  mount -t tmpfs -o size=64k,mode=0755 none "$data"
  mkdir -p "$telemetry"
elif [ -n "$data" ]; then
  mount --bind "$data" "$data"
fi
mount -c --bind . "$telemetry"
mount -o remount,bind,ro "$telemetry"
[ -z "$data" ] || mount -o remount,bind,ro "$data"
cd /
unset PWD OLDPWD
exec "$@"
`;

const NAMESPACES = ["--net", "--mount", "--ipc", "--uts"];
const PRIVILEGES = ["setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--pdeathsig", "KILL"];

// Succeeds when the directory can be read, but not written, and the files that a child needs exist.
const PROBE = [
  SHELL,
  "-c",
  '[ -r "$1" ] && ! touch "$1/.sandbox-probe" 2>/dev/null && shift && for f in "$@"; do [ -r "$f" ] || exit 1; done',
  "probe",
];
const NOTHING = [SHELL, "-c", "exit 0", "probe"];

/** Finds the strongest sandbox that this system allows, by trying it. */
export async function probeSandbox(settings: QueryEngineSettings): Promise<Sandbox> {
  const dataKib = Math.ceil((CHILD_BASE_BYTES + 1.5 * settings.memoryBytesMax) / 1024);
  const limits = [SHELL, "-c", LIMITS, "limits", String(dataKib)];
  const directories = await directoriesOf(settings);
  const isolation = settings.isolation === "auto" ? await probeIsolation(limits, directories) : undefined;
  const privileged = settings.isolation === "auto" && (await succeeds([...limits, ...PRIVILEGES, ...NOTHING]));
  const watchdog = await readable("/proc/self/statm");
  const prefix = isolation?.command ?? (privileged ? PRIVILEGES : []);
  const args = [
    ...limits.slice(1),
    ...prefix,
    process.execPath,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
    programPath("query.process"),
    String(settings.threads),
  ];
  return { file: SHELL, args, layers: layersOf(isolation, privileged, watchdog, directories, dataKib) };
}

interface Directories {
  readonly telemetry: string;
  /** Empty when it is unknown, or does not contain the telemetry directory. */
  readonly data: string;
}

async function directoriesOf(settings: QueryEngineSettings): Promise<Directories> {
  const telemetry = await realpath(settings.telemetryDir);
  const data = settings.dataDir === undefined ? "" : await realpath(settings.dataDir);
  return { telemetry, data: telemetry.startsWith(`${data}/`) ? data : "" };
}

interface Isolation {
  readonly command: readonly string[];
  readonly hidden: boolean;
}

/**
 * Tries first with a user namespace, which needs no privilege, then without one, which needs root. A data directory that
 * contains the program can't be hidden.
 */
async function probeIsolation(limits: readonly string[], directories: Directories): Promise<Isolation | undefined> {
  const needed = [process.execPath, programPath("query.process"), packageFile("@duckdb/node-api")];
  for (const hidden of directories.data === "" ? [false] : [true, false]) {
    for (const user of [["--user", "--map-root-user"], []]) {
      const mounts = [
        SHELL,
        "-c",
        MOUNTS,
        "mounts",
        directories.telemetry,
        directories.data,
        hidden ? "hidden" : "kept",
      ];
      const command = ["unshare", ...user, ...NAMESPACES, ...mounts, ...PRIVILEGES];
      if (await succeeds([...limits, ...command, ...PROBE, directories.telemetry, ...needed]))
        return { command, hidden };
    }
  }
  return undefined;
}

function layersOf(
  isolation: Isolation | undefined,
  privileged: boolean,
  watchdog: boolean,
  { telemetry, data }: Directories,
  dataKib: number,
): readonly SandboxLayer[] {
  const isolated = isolation !== undefined;
  const hidden = isolation?.hidden === true;
  const missing = "not allowed here: needs unshare, mount and setpriv (util-linux) and unprivileged user namespaces";
  return [
    {
      name: "limits",
      active: true,
      detail: `no file can grow, no core dumps, ${OPEN_FILES_MAX} open files, ${dataKib} KiB of data`,
    },
    {
      name: "namespaces",
      active: isolated,
      detail: isolated ? isolation.command.filter((arg) => arg.startsWith("--") && arg.length < 8).join(" ") : missing,
    },
    { name: "read-only files", active: isolated, detail: isolated ? data || telemetry : missing },
    {
      name: "hidden data",
      active: hidden,
      detail: hidden ? data : isolated ? "no data directory is set, or it contains the program" : missing,
    },
    {
      name: "privileges",
      active: isolated || privileged,
      detail: "no new privileges, no capabilities, ends with its parent",
    },
    {
      name: "memory watchdog",
      active: watchdog,
      detail: watchdog ? "resident memory is read from /proc" : "there is no /proc here",
    },
  ];
}

async function readable(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function succeeds(command: readonly string[]): Promise<boolean> {
  const [file = SHELL, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: "ignore", env: {}, timeout: PROBE_TIMEOUT_MS, killSignal: "SIGKILL" });
    child.once("error", () => {
      resolve(false);
    });
    child.once("exit", (code) => {
      resolve(code === 0);
    });
  });
}
