import { hostAndPort, type Agent } from "./agent.ts";

/** An enterprise number for documentation (RFC 5612). */
const ELEMENT = "token@32473";
const QUEUE =
  "The queue keeps messages while the server is away. Syslog has no acknowledgement, so the last ones before a crash of the server may be lost.";

export const SYSLOG_AGENTS: readonly Agent[] = [
  {
    id: "rsyslog",
    title: "rsyslog, over TCP",
    protocol: "syslog",
    file: "/etc/rsyslog.d/mooring.conf",
    language: "text",
    use: `Restart rsyslog. ${QUEUE}`,
    needs: "syslog_tcp_address",
    text: ({ addresses, key }) => rsyslog(addresses.syslog_tcp_address, key, ""),
  },
  {
    id: "rsyslog-tls",
    title: "rsyslog, over TLS",
    protocol: "syslog",
    file: "/etc/rsyslog.d/mooring.conf",
    language: "text",
    use: `Needs Debian's package rsyslog-gnutls, and a certificate with the host as a DNS name. Restart rsyslog. ${QUEUE}`,
    needs: "syslog_tls_address",
    text: ({ addresses, key }) =>
      rsyslog(
        addresses.syslog_tls_address,
        key,
        `
  StreamDriver="gtls" StreamDriverMode="1" StreamDriverAuthMode="x509/name"
  StreamDriverPermittedPeers="${hostAndPort(addresses.syslog_tls_address).host}"
  StreamDriver.CAFile="/etc/ssl/certs/ca-certificates.crt"`,
      ),
  },
  {
    id: "syslog-ng",
    title: "syslog-ng, over TCP",
    protocol: "syslog",
    file: "/etc/syslog-ng/conf.d/mooring.conf",
    language: "text",
    use: `Restart syslog-ng. The source s_src is Debian's: change it if yours has another name. ${QUEUE}`,
    needs: "syslog_tcp_address",
    text: ({ addresses, key }) => syslogNg(addresses.syslog_tcp_address, key, 'transport("tcp")'),
  },
  {
    id: "syslog-ng-tls",
    title: "syslog-ng, over TLS",
    protocol: "syslog",
    file: "/etc/syslog-ng/conf.d/mooring.conf",
    language: "text",
    use: `Restart syslog-ng. The source s_src is Debian's: change it if yours has another name. ${QUEUE}`,
    needs: "syslog_tls_address",
    text: ({ addresses, key }) =>
      syslogNg(addresses.syslog_tls_address, key, 'transport("tls") tls(ca-dir("/etc/ssl/certs"))'),
  },
  {
    id: "logger",
    title: "logger, for scripts",
    protocol: "syslog",
    file: "a terminal, or a script",
    language: "sh",
    use: "The list of processes shows the key while the command runs. On a shared machine, let logger write to rsyslog instead.",
    needs: "syslog_tcp_address",
    text: ({ addresses, key, service }) => {
      const { host, port } = hostAndPort(addresses.syslog_tcp_address);
      return ` MOORING_INGEST_KEY=${key}
logger --server "${host}" --port ${port} --tcp --octet-count --rfc5424=notq --tag ${service} -p daemon.notice \\
  --sd-id ${ELEMENT} --sd-param "key=\\"$MOORING_INGEST_KEY\\"" 'backup finished'
`;
    },
  },
];

function rsyslog(address: string | null, key: string, driver: string): string {
  const { host, port } = hostAndPort(address);
  return `template(name="mooring" type="string"
  string="<%PRI%>1 %TIMESTAMP:::date-rfc3339% %HOSTNAME% %APP-NAME% %PROCID% %MSGID% [${ELEMENT} key=\\"${key}\\"] %msg%\\n")
action(type="omfwd" target="${host}" port="${port}" protocol="tcp" template="mooring"${driver}
  queue.type="LinkedList" queue.filename="mooring" queue.saveOnShutdown="on"
  action.resumeRetryCount="-1" action.resumeInterval="1")
`;
}

function syslogNg(address: string | null, key: string, transport: string): string {
  const { host, port } = hostAndPort(address);
  return `destination d_mooring {
  network("${host}" port(${port}) ${host.includes(":") ? "ip-protocol(6) " : ""}${transport} time-reopen(1)
    disk-buffer(mem-buf-length(10000) disk-buf-size(67108864) reliable(no))
    template("<$PRI>1 $ISODATE $HOST $PROGRAM \${PID:--} - [${ELEMENT} key=\\"${key}\\"] $MESSAGE\\n"));
};
log { source(s_src); destination(d_mooring); };
`;
}
