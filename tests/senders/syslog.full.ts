/**
 * Senders of syslog: rsyslog in every framing, syslog-ng, util-linux' logger and Python's SysLogHandler, also with the
 * configurations that the portal shows. SQL finds their rows. Then the server is killed: rsyslog with a queue loses
 * nothing that the server had not read.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { makeCertificates } from "../fixtures/certificates.ts";
import { eventually } from "../fixtures/process.ts";
import { trustAuthority } from "../fixtures/smoke.ts";
import { configurationOf, replaced, runShell } from "./agents.ts";
import { startProgram } from "./line-program.ts";
import { sendOverKill, type Sender } from "./over-kill.ts";
import { run, useSenders } from "./place.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-syslog-senders-"));
const { caFile, certificateFile, keyFile } = makeCertificates(directory);
const undoTrust = trustAuthority(caFile);
const place = useSenders({ hasSyslog: true, settings: { tls_cert: certificateFile, tls_key: keyFile } });
after(() => {
  undoTrust();
  rmSync(directory, { recursive: true, force: true });
});

const portOf = (address: string | null): string => address?.split(":").at(-1) ?? "";
const tcp = (): string => portOf(place.addresses.syslog_tcp_address);
const udp = (): string => portOf(place.addresses.syslog_udp_address);

/** The values of rows of `logger`. */
function valuesOf(level: string, service: string | null, facility: string, pid?: string): Sender["values"] {
  const values = { level, service, "attributes->>'facility'": facility };
  return pid === undefined ? values : { ...values, "attributes->>'pid'": pid };
}

const LOGGER = "/usr/bin/logger";

const missingLogger = existsSync(LOGGER) ? false : "logger is not installed";

/** Logs by `logger`. A message is at most 1024 bytes. */
function log(words: readonly string[], message: string): Promise<string> {
  return run(LOGGER, [...words, "--tag", "shop", message], { TZ: "UTC" });
}

test("util-linux' logger", { skip: missingLogger }, async () => {
  const ways: Readonly<Record<string, readonly string[]>> = {
    udp: ["--udp", "--port", udp()],
    tcp: ["--tcp", "--port", tcp()],
    "tcp-counted": ["--tcp", "--octet-count", "--port", tcp()],
    "udp-3164": ["--udp", "--rfc3164", "--port", udp()],
    "tcp-3164": ["--tcp", "--rfc3164", "--port", tcp()],
  };
  const senders = Object.entries(ways).map(([name, words]) => {
    const send = (text: string): Promise<string> =>
      log(["--server", "127.0.0.1", ...words, "--id=42", "-p", "daemon.err"], text);
    const values = valuesOf("error", "shop", "daemon", "42");
    return { send, name: `logger ${name}`, keeps: "nothing", values } as const;
  });
  const shown = configurationOf("logger", place, "night-job");
  const send = (text: string): Promise<string> => runShell(replaced(shown, { "backup finished": text }), directory);
  const values = valuesOf("info", "night-job", "daemon");
  await sendOverKill(place, [...senders, { send, name: "logger as shown", keeps: "nothing", values }]);
});

test("Python's SysLogHandler", async () => {
  const script = join(directory, "handler.py");
  // Over TCP, the handler does not connect again by itself.
  writeFileSync(
    script,
    `import logging, logging.handlers, socket, sys
kind, port = sys.argv[1:]
handler = logging.handlers.SysLogHandler(
    ("127.0.0.1", int(port)), facility="local3", socktype=socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM
)
handler.handleError = lambda record: handler.createSocket()
logger = logging.getLogger(kind)
logger.addHandler(handler)
for message in map(str.strip, sys.stdin):
    logger.critical("%s (größe)", message)
    print(message, flush=True)
`,
  );
  const senders = Object.entries({ udp: udp(), tcp: tcp() }).map(([kind, port]) => {
    const program = startProgram(["python3", script, kind, port], {});
    const from = ["(select * replace (replace(message, ' (größe)', '') as message) from logs)", "message"] as const;
    const values = valuesOf("fatal", null, "local3");
    return { ...program, name: `Python over ${kind}`, keeps: "nothing", values, from } as const;
  });
  await sendOverKill(place, senders);
});

/** A daemon with its own directory and configuration. */
interface Daemon {
  readonly socket: string;
  stop(): Promise<void>;
}

async function startDaemon(
  command: string,
  words: readonly string[],
  socket: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const child: ChildProcess = spawn(command, [...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: "/usr/sbin:/usr/bin:/bin", TZ: "UTC", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "close");
  await eventually(`${command} to listen: ${output}`, () => (existsSync(socket) ? true : null), 30_000);
  return {
    socket,
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

const RSYSLOG = "/usr/sbin/rsyslogd";
const rsyslogSkip = existsSync(RSYSLOG) ? false : "rsyslog is not installed";
const rsyslogTlsSkip =
  globSync("/usr/lib/*/rsyslog/lmnsd_gtls.so").length > 0 ? rsyslogSkip : "rsyslog-gnutls is not installed";

const forward = (parameters: string): string => `action(type="omfwd" target="127.0.0.1" ${parameters})`;

async function startRsyslog(name: string, action: string): Promise<Daemon> {
  const home = join(directory, `rsyslog-${name}`);
  mkdirSync(home);
  const socket = join(home, "log");
  writeFileSync(
    join(home, "rsyslog.conf"),
    `global(workDirectory="${home}")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="${socket}" CreatePath="on" RateLimit.Interval="0" UseSysTimeStamp="off")
${action}
`,
  );
  return startDaemon(RSYSLOG, ["-n", "-f", join(home, "rsyslog.conf"), "-i", join(home, "pid")], socket);
}

/** Returns the sender that logs to the socket of a daemon. */
function senderOf(name: string, daemon: Daemon, keeps: Sender["keeps"]): Sender {
  const send = (text: string): Promise<string> => log(["--socket", daemon.socket, "-p", "local1.warning"], text);
  return { send, name, keeps, values: valuesOf("warn", "shop", "local1"), end: () => daemon.stop() };
}

const QUEUE = `queue.type="LinkedList" action.resumeRetryCount="-1" action.resumeInterval="1"`;
const FRAMINGS: Readonly<Record<string, () => string>> = {
  udp: () => forward(`port="${udp()}" protocol="udp"`),
  tcp: () => forward(`port="${tcp()}" protocol="tcp"`),
  "tcp-5424-counted": () =>
    forward(`port="${tcp()}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"`),
  "tcp-forward": () => forward(`port="${tcp()}" protocol="tcp" template="RSYSLOG_ForwardFormat"`),
  "tcp-compressed": () => forward(`port="${tcp()}" protocol="tcp" compression.mode="single" ziplevel="9"`),
  "udp-compressed": () => forward(`port="${udp()}" protocol="udp" ziplevel="9"`),
};

test("rsyslog in each framing", { skip: rsyslogSkip }, async () => {
  const starts = Object.entries(FRAMINGS).map(async ([name, action]) => {
    const sender = senderOf(`rsyslog ${name}`, await startRsyslog(name, action()), "nothing");
    // A long one is compressed.
    await sender.send(`rsyslog ${name}, long ${"long ".repeat(100)}`.trim());
    await place.find(`select 1 from logs where message like 'rsyslog ${name}, % long'`, 1);
    return sender;
  });
  await sendOverKill(place, await Promise.all(starts));
});

/** Daemons with a queue, as the portal shows them; one without TLS as in the manual. */
const QUEUED = {
  "rsyslog with a queue": () => forward(`port="${tcp()}" protocol="tcp" ${QUEUE}`),
  "rsyslog as shown": () => configurationOf("rsyslog", place, "none"),
  "rsyslog as shown for TLS": () =>
    // rsyslog compares only the DNS names of a certificate.
    replaced(configurationOf("rsyslog-tls", place, "none"), {
      "/etc/ssl/certs/ca-certificates.crt": caFile,
      "127.0.0.1": "localhost",
    }),
};

for (const [name, action] of Object.entries(QUEUED))
  test(name, { skip: name.endsWith("TLS") ? rsyslogTlsSkip : rsyslogSkip }, async () => {
    await sendOverKill(place, [senderOf(name, await startRsyslog(name, action()), "written")]);
  });

/** Where the package is unpacked, or the system's. */
const NG = process.env["MOORING_TEST_SYSLOG_NG"] ?? "";
const SYSLOG_NG = `${NG}/usr/sbin/syslog-ng`;
const [ngLibraries = ""] = globSync(`${NG}/usr/lib/syslog-ng/libsyslog-ng-*.so*`).map((path) => dirname(path));

async function startSyslogNg(name: string, destination: string): Promise<Daemon> {
  const home = join(directory, `syslog-ng-${name}`);
  mkdirSync(home);
  const socket = join(home, "log");
  const config = join(home, "syslog-ng.conf");
  writeFileSync(
    config,
    `@version: current
options { keep-hostname(yes); };
source s_src { unix-dgram("${socket}"); };
${destination}`,
  );
  const words = ["-F", "-f", config, "-R", join(home, "persist"), "-p", join(home, "pid"), "-c", join(home, "ctl")];
  const modules = globSync(`${NG}/usr/lib/syslog-ng/*/`).join(":");
  const environment = { LD_LIBRARY_PATH: ngLibraries };
  return startDaemon(SYSLOG_NG, [...words, "--no-caps", "--module-path", modules], socket, environment);
}

const towards = (driver: string): string => `destination d { ${driver}; };\nlog { source(s_src); destination(d); };\n`;
/** The configuration of the portal, with the queue in a directory of the test. */
function shownForSyslogNg(id: string, changes: Readonly<Record<string, string>>): string {
  return replaced(configurationOf(id, place, "none"), {
    ...changes,
    "disk-buffer(": `disk-buffer(dir("${directory}") `,
  });
}

const NG_FORMS = {
  network: () => towards(`network("127.0.0.1" port(${tcp()}) transport("tcp") time-reopen(1))`),
  "syslog-tcp": () => towards(`syslog("127.0.0.1" port(${tcp()}) transport("tcp") time-reopen(1))`),
  udp: () => towards(`network("127.0.0.1" port(${udp()}) transport("udp"))`),
  "as shown": () => shownForSyslogNg("syslog-ng", {}),
  "as shown for TLS": () => shownForSyslogNg("syslog-ng-tls", { 'ca-dir("/etc/ssl/certs")': `ca-file("${caFile}")` }),
};

test(
  "syslog-ng in each form, with its queue",
  { skip: existsSync(SYSLOG_NG) ? false : "syslog-ng is not installed" },
  async () => {
    const starts = Object.entries(NG_FORMS).map(async ([name, destination]) => {
      const keeps = name === "udp" ? "nothing" : "written";
      return senderOf(`syslog-ng ${name}`, await startSyslogNg(name, destination()), keeps);
    });
    await sendOverKill(place, await Promise.all(starts));
  },
);
