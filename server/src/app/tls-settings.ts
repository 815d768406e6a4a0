import Type from "typebox";

const path = Type.Union([Type.Null(), Type.String({ minLength: 1 })]);
const PATH = "the path of a file";

export const TLS_SETTINGS = {
  tls_cert: {
    schema: path,
    default: null,
    form: PATH,
    description:
      "PEM file with the certificate and its chain, for TLS and HTTP/2 on listen; if not set, plain HTTP. The server uses a changed file without a restart",
  },
  tls_key: {
    schema: path,
    default: null,
    form: PATH,
    description: "PEM file with the private key of tls_cert",
  },
  http_redirect_listen: {
    schema: Type.Union([
      Type.Literal("off"),
      Type.String({ pattern: "^(\\[[0-9a-fA-F:.]+\\]|[^:\\[\\]]+):[0-9]{1,5}$" }),
    ]),
    default: "off",
    form: "host:port, for example 0.0.0.0:80, or off",
    description: "host:port that redirects each plain HTTP request to portal_url, which must be https; or off",
  },
} as const;

export const S3_TLS_SETTINGS = {
  s3_tls_cert: {
    schema: path,
    default: null,
    form: PATH,
    description:
      "PEM file with the certificate and its chain, for TLS on s3_listen; if not set, plain HTTP. The server uses a changed file without a restart",
  },
  s3_tls_key: {
    schema: path,
    default: null,
    form: PATH,
    description: "PEM file with the private key of s3_tls_cert",
  },
} as const;

/** The settings that name the files of each address with TLS. */
export const TLS_ADDRESSES = {
  listen: ["tls_cert", "tls_key"],
  s3_listen: ["s3_tls_cert", "s3_tls_key"],
} as const;
