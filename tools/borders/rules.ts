import type { IForbiddenRuleType } from "dependency-cruiser";

/**
 * Tests, their helpers and the drivers' suites. They may import third parties and fixtures that the product may not.
 */
const TEST = "\\.(test|full)\\.ts$";
const HELPER = "/testing(/|\\.ts$)";
const TESTING = [TEST, HELPER];
const SURFACE_ENTRY = "^server/src/surfaces/[^/]+/(index|routes[a-z-]*)\\.ts$";

/** A layer of server/src and the other layers that it may import (docs/architecture.md, "Who may import whom"). */
function layer(name: string, may: readonly string[]): IForbiddenRuleType {
  return {
    name: `${name}-imports-only-lower-layers`,
    severity: "error",
    from: { path: `^server/src/${name}/` },
    to: { path: "^(server|tools|benchmarks)/", pathNot: `^server/src/(${[name, ...may].join("|")})/` },
  };
}

/** Allows a third party, by a pattern of its names, only in paths that match a pattern. */
function confined(name: string, packages: string, places: string): IForbiddenRuleType {
  return {
    name: `${name}-is-confined`,
    severity: "error",
    from: { path: "^(server|contract)/", pathNot: [...TESTING, places] },
    to: { path: `(^|node_modules/)(${packages})(/|$)` },
  };
}

const THIRD_PARTY = "(^|/)node_modules/";

export const RULES: IForbiddenRuleType[] = [
  {
    name: "no-circular",
    comment: "type imports and dynamic imports count too",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  { name: "not-resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  {
    name: "contract-imports-typebox-and-addresses",
    comment: "only libraries without I/O, because the portal's bundle contains the contract",
    severity: "error",
    from: { path: "^contract/src/", pathNot: TESTING },
    to: { pathNot: "^(contract/src/|node_modules/(typebox|ipaddr\\.js)/)" },
  },
  {
    name: "client-imports-nothing-but-contract",
    comment: "it also runs in browsers, so it may only use fetch",
    severity: "error",
    from: { path: "^client/src/", pathNot: TESTING },
    to: { pathNot: "^(client|contract)/src/" },
  },
  {
    name: "portal-imports-client-and-contract",
    comment: "it is a client of the public API like any other",
    severity: "error",
    from: { path: "^portal/src/", pathNot: TESTING },
    to: { pathNot: `^(portal|client|contract)/src/|${THIRD_PARTY}` },
  },
  {
    name: "portal-below-knows-no-pages",
    comment: "the registry of pages loads a page when a person opens it",
    severity: "error",
    from: { path: "^portal/src/(kit|api|app)/", pathNot: ["^portal/src/app/(pages|router)\\.tsx?$", ...TESTING] },
    to: { path: "^portal/src/pages/" },
  },
  {
    name: "portal-pages-are-islands",
    severity: "error",
    from: { path: "^portal/src/pages/([^/]+)/" },
    to: { path: "^portal/src/pages/", pathNot: "^portal/src/pages/$1/" },
  },
  {
    name: "portal-loads-editor-late",
    comment: "these libraries are larger than the shell",
    severity: "error",
    from: { path: "^portal/src/", pathNot: "^portal/src/kit/editor" },
    to: { path: "(^|node_modules/)(@codemirror|@lezer)(/|$)" },
  },
  {
    name: "nobody-imports-the-portal",
    severity: "error",
    from: { pathNot: "^(portal|tools)/" },
    to: { path: "^portal/" },
  },
  layer("kernel", []),
  layer("stores", ["kernel"]),
  layer("domain", ["kernel", "stores"]),
  layer("http", ["kernel", "domain/identity"]),
  layer("surfaces", ["kernel", "stores", "domain", "http"]),
  {
    name: "kernel-has-no-third-party",
    severity: "error",
    from: { path: "^server/src/kernel/", pathNot: TESTING },
    to: { path: `${THIRD_PARTY}|^contract/` },
  },
  {
    name: "stores-know-no-contract",
    comment: "the domain uses it, because the contract defines scopes and roles",
    severity: "error",
    from: { path: "^server/src/stores/" },
    to: { path: "^contract/" },
  },
  {
    name: "surfaces-are-islands",
    comment: "their tests may share helpers, because one place creates the test organizations",
    severity: "error",
    from: { path: "^server/src/surfaces/([^/]+)/" },
    to: { path: "^server/src/surfaces/", pathNot: ["^server/src/surfaces/$1/", HELPER] },
  },
  {
    name: "folders-are-entered-by-their-index",
    severity: "error",
    from: { path: "^server/src/([^/]+/[^/]+)" },
    to: { path: "^server/src/(stores|domain|surfaces)/[^/]+/", pathNot: ["^server/src/$1/", "/index\\.ts$", HELPER] },
  },
  {
    name: "http-is-entered-by-its-index",
    severity: "error",
    from: { path: "^server/src/", pathNot: "^server/src/http/" },
    to: { path: "^server/src/http/", pathNot: ["/index\\.ts$", HELPER] },
  },
  {
    name: "product-knows-no-tests-and-tools",
    severity: "error",
    from: { path: "^(client|contract|server)/src/", pathNot: TESTING },
    to: { path: ["^(tests|tools|benchmarks)/", ...TESTING] },
  },
  {
    name: "acceptance-tests-are-black-box",
    severity: "error",
    from: { path: "^tests/acceptance/" },
    to: { path: "^(server|tools)/" },
  },
  confined("kysely", "kysely", "^server/src/stores/|/store\\.ts$"),
  confined("database-drivers", "pg|node:sqlite|sqlite|@duckdb|@clickhouse|@aws-sdk/client-s3", "^server/src/stores/"),
  confined("xml", "@rgrove/parse-xml", "^server/src/surfaces/s3/wire/"),
  confined("people-sign-in", "@simplewebauthn|otpauth|openid-client", "^server/src/domain/people/"),
  confined("mail", "nodemailer", "^server/src/stores/mail/"),
  confined("jose", "jose", "^server/src/domain/"),
  confined("fastify", "fastify|@fastify", `^server/src/(http|app)/|${SURFACE_ENTRY}`),
  confined("logging", "pino", "^server/src/(http|app)/"),
  confined("client", "client", "^server/src/app/commands/|^server/src/main\\.ts$"),
  confined("addresses", "ipaddr\\.js", "^contract/src/address-ranges\\.ts$"),
  confined("typebox", "typebox", "^contract/src/|^server/src/(http|app)/"),
];
