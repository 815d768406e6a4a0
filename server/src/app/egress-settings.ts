import Type from "typebox";

export const EGRESS_SETTINGS = {
  egress_proxy_url: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^http://[^/?#]+/?$", maxLength: 2048 })]),
    default: null,
    form: "http://[USER:PASSWORD@]HOST:PORT",
    description:
      "HTTP proxy for connections to other machines: webhooks, alerts, keys of trusted issuers, sign-in at the provider, the upstream S3 store and the mail server",
    secret: true,
    secretUrl: true,
  },
  egress_proxy_bypass: {
    schema: Type.Array(Type.String({ pattern: "^[A-Za-z0-9:.*_-]+(/[0-9]{1,3})?$", maxLength: 255 })),
    default: [],
    form: "names, IP addresses and CIDR blocks, separated by commas",
    description: "destinations that are reached without the proxy; a name also means its subdomains",
  },
  egress_proxied_names: {
    schema: Type.Enum(["check", "trust"]),
    default: "check",
    form: "check or trust",
    description:
      "who resolves names that users enter: this server, which checks the addresses and gives the proxy a checked one (check), or the proxy, which must then refuse private addresses itself (trust)",
  },
} as const;
