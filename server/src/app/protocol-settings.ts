import Type from "typebox";

const FORM = "host:port, for example 0.0.0.0:4317, or off";
const SYSLOG_FORM = "host:port, for example 0.0.0.0:514, or off";
const listen = Type.Union([
  Type.Literal("off"),
  Type.String({ pattern: "^(\\[[0-9a-fA-F:.]+\\]|[^:\\[\\]]+):[0-9]{1,5}$" }),
]);

/** The addresses of telemetry protocols that need a separate port. */
export const PROTOCOL_SETTINGS = {
  otlp_grpc_listen: {
    schema: listen,
    default: "127.0.0.1:4317",
    form: FORM,
    description:
      "host:port of OTLP/gRPC, with TLS if tls_cert is set; or off. If another process uses the default port, the server starts without it",
  },
  syslog_tcp_listen: {
    schema: listen,
    default: "off",
    form: SYSLOG_FORM,
    description: "host:port of syslog over TCP, or off",
  },
  syslog_tls_listen: {
    schema: listen,
    default: "off",
    form: "host:port, for example 0.0.0.0:6514, or off",
    description: "host:port of syslog over TLS, with the certificate of tls_cert; or off",
  },
  syslog_udp_listen: {
    schema: listen,
    default: "off",
    form: SYSLOG_FORM,
    description: "host:port of syslog over UDP, or off. UDP can lose messages",
  },
  syslog_key: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a key or token that has telemetry:write",
    description:
      "key of syslog messages that have none in their structured data; without it, such messages are refused",
    secret: true,
  },
  syslog_timezone: {
    schema: Type.String({ minLength: 1 }),
    default: "UTC",
    form: "UTC, an offset such as +02:00, or a name such as Europe/Berlin",
    description: "time zone of syslog messages whose time has none (RFC 3164)",
  },
} as const;
