import Type from "typebox";

const FORM = "host:port, for example 0.0.0.0:4317, or off";
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
} as const;
