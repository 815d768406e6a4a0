import type { Random } from "./random.ts";

/** The content of an entry, before it has a time and a trace. */
export interface Said {
  readonly service: string;
  readonly level: string;
  readonly message: string;
  readonly attributes: Record<string, string | number>;
}

type Template = (random: Random, service: string) => Said;

export const WEB_SERVICES = [
  "gateway",
  "storefront",
  "checkout",
  "catalog",
  "search",
  "accounts",
  "cart",
  "payments",
  "shipping",
  "notifications",
] as const;
const HOST_SERVICES = ["sshd", "cron"];
const CLOUD_SERVICES = ["compute-api", "compute-agent", "network-agent", "image-store"];
const WORKER_SERVICES = ["billing-worker", "mail-worker", "indexer", "scheduler"];

export const REGIONS = ["eu-central-1", "eu-west-1", "us-east-1", "us-west-2", "ap-south-1"];
const METHODS = ["GET", "GET", "GET", "GET", "POST", "POST", "PUT", "DELETE"];
/** Each `#` becomes a number. */
const ROUTES = [
  "/",
  "/api/products",
  "/api/products/#",
  "/api/products/#/reviews",
  "/api/search",
  "/api/cart",
  "/api/cart/items/#",
  "/api/orders",
  "/api/orders/#",
  "/api/orders/#/invoice",
  "/api/orders/#/shipment",
  "/api/users/me",
  "/api/users/#/addresses",
  "/api/sessions",
  "/api/payments/#/capture",
  "/assets/app.js",
  "/assets/styles.css",
  "/healthz",
];
const AGENTS = ["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (iPhone)", "okhttp/4.12", "curl/8.5"];
const NAMES = ["root", "admin", "oracle", "test", "ubuntu", "deploy", "postgres", "git", "backup", "webmaster"];
const UPSTREAMS = ["inventory", "pricing", "ledger", "fraud-check", "tax", "geocoder"];

/** Returns one entry's content. The shares of services and levels are about those of a shop's machines. */
export function say(random: Random): Said {
  const share = random.share();
  if (share < 0.55) return access(random, random.pick(WEB_SERVICES));
  if (share < 0.72) return application(random, random.pick(WEB_SERVICES));
  if (share < 0.8) return host(random, random.pick(HOST_SERVICES));
  if (share < 0.9) return cloud(random, random.pick(CLOUD_SERVICES));
  return worker(random, random.pick(WORKER_SERVICES));
}

const access: Template = (random, service) => {
  const method = random.pick(METHODS);
  const route = ROUTES[random.skewed(ROUTES.length)] ?? "/";
  const status = statusOf(random);
  const duration = durationOf(random);
  const path = route.replace("#", String(random.below(1_000_000)));
  const address = addressOf(random);
  const bytes = 120 + random.skewed(200_000);
  return {
    service,
    level: status >= 500 ? "error" : status >= 400 ? "warn" : random.share() < 0.12 ? "debug" : "info",
    message: `${address} "${method} ${path} HTTP/1.1" ${status} ${bytes} "${random.pick(AGENTS)}" ${duration} ms`,
    attributes: {
      "http.method": method,
      "http.route": route,
      "http.status_code": status,
      "user.id": `u-${String(random.skewed(200_000)).padStart(6, "0")}`,
      client_ip: address,
      duration_ms: duration,
      ...placeOf(random, service),
    },
  };
};

const application: Template = (random, service) => {
  const order = random.below(5_000_000);
  const attributes = {
    order: `ord-${order}`,
    "user.id": `u-${String(random.skewed(200_000)).padStart(6, "0")}`,
    duration_ms: durationOf(random),
    ...placeOf(random, service),
    version: `2.${random.below(6)}.${random.below(4)}`,
  };
  const share = random.share();
  const upstream = random.pick(UPSTREAMS);
  if (share < 0.03)
    return {
      service,
      level: "error",
      message: `request to ${upstream} failed: read tcp ${addressOf(random)}:443: connection reset by peer, order ${order}`,
      attributes: { ...attributes, "error.type": "ECONNRESET", upstream },
    };
  if (share < 0.06)
    return {
      service,
      level: "error",
      message: `cannot reserve stock for order ${order}: deadline of ${500 + random.below(20) * 100} ms passed while waiting for ${upstream}`,
      attributes: { ...attributes, "error.type": "DeadlineExceeded", upstream },
    };
  if (share < 0.12)
    return {
      service,
      level: "warn",
      message: `retrying ${upstream}, attempt ${1 + random.below(4)} of 5, next in ${2 ** random.below(6) * 50} ms`,
      attributes: { ...attributes, upstream, attempt: 1 + random.below(4) },
    };
  if (share < 0.4)
    return {
      service,
      level: "debug",
      message: `cache miss for key product:${random.skewed(500_000)}:v${random.below(9)}, loaded in ${random.below(40)} ms`,
      attributes,
    };
  const step = random.pick(["placed", "paid", "packed", "handed to the carrier", "delivered"]);
  return {
    service,
    level: "info",
    message: `order ${order} ${step}: ${1 + random.skewed(12)} items, total ${(random.skewed(90_000) / 100).toFixed(2)} EUR`,
    attributes,
  };
};

const host: Template = (random, service) => {
  const pid = 1000 + random.below(30_000);
  const attributes = { pid, host: `node-${random.below(60)}`, ...placeOf(random, service) };
  if (service === "cron")
    return {
      service,
      level: "info",
      message: `(root) CMD (/usr/lib/maintenance/job-${random.below(40)} --quiet)`,
      attributes: { ...attributes, user: "root" },
    };
  const address = addressOf(random);
  const user = random.pick(NAMES);
  const share = random.share();
  const port = 1024 + random.below(64_000);
  const context = { ...attributes, client_ip: address, user, port };
  if (share < 0.55)
    return {
      service,
      level: "warn",
      message: `Failed password for ${share < 0.3 ? "invalid user " : ""}${user} from ${address} port ${port} ssh2`,
      attributes: context,
    };
  if (share < 0.7)
    return {
      service,
      level: "info",
      message: `Received disconnect from ${address} port ${port}:11: Bye Bye [preauth]`,
      attributes: context,
    };
  if (share < 0.9)
    return {
      service,
      level: "info",
      message: `Accepted publickey for ${user} from ${address} port ${port} ssh2: ED25519 SHA256:${random.below(2 ** 31).toString(36)}`,
      attributes: context,
    };
  return { service, level: "fatal", message: `fatal: no hostkeys available, exiting; pid ${pid}`, attributes };
};

const cloud: Template = (random, service) => {
  const request = `req-${random.below(2 ** 31).toString(16)}-${random.below(65_536).toString(16)}`;
  const instance = `i-${random.skewed(40_000).toString(16).padStart(8, "0")}`;
  const duration = durationOf(random);
  const attributes = {
    request_id: request,
    instance,
    tenant: `t-${random.skewed(300)}`,
    duration_ms: duration,
    ...placeOf(random, service),
    host: `node-${random.below(60)}`,
  };
  const share = random.share();
  if (share < 0.5)
    return {
      service,
      level: "info",
      message: `[${request}] 10.11.${random.below(8)}.${random.below(250)} "GET /v2/servers/${instance} HTTP/1.1" status: 200 len: ${1500 + random.below(900)} time: ${(duration / 1000).toFixed(7)}`,
      attributes: { ...attributes, "http.method": "GET", "http.route": "/v2/servers/#", "http.status_code": 200 },
    };
  if (share < 0.85)
    return {
      service,
      level: "info",
      message: `[instance: ${instance}] Took ${(duration / 100).toFixed(2)} seconds to ${random.pick(["spawn", "build", "destroy", "migrate"])} the instance on the hypervisor.`,
      attributes,
    };
  if (share < 0.97)
    return {
      service,
      level: "warn",
      message: `While synchronizing instance power states, found ${random.below(20)} instances in the database and ${random.below(20)} on the hypervisor.`,
      attributes,
    };
  return {
    service,
    level: "error",
    message: `[${request}] HTTP exception thrown: No valid host was found for ${instance}: not enough memory`,
    attributes: { ...attributes, "error.type": "NoValidHost" },
  };
};

const worker: Template = (random, service) => {
  const job = random.below(2 ** 31).toString(16);
  const duration = durationOf(random) * 4;
  const queue = random.pick(["default", "mail", "invoices", "index"]);
  const attributes = { job, queue, duration_ms: duration, ...placeOf(random, service), attempt: 1 + random.below(3) };
  const share = random.share();
  if (share < 0.04)
    return {
      service,
      level: "error",
      message: `job ${job} failed after ${duration} ms: Error: 421 4.7.0 Temporary System Problem, try again later`,
      attributes: { ...attributes, "error.type": "SMTPError" },
    };
  if (share < 0.2)
    return {
      service,
      level: "debug",
      message: `queue ${queue}: ${random.below(900)} waiting, ${random.below(32)} running`,
      attributes,
    };
  return {
    service,
    level: "info",
    message: `job ${job} of queue ${queue} done in ${duration} ms`,
    attributes,
  };
};

function placeOf(random: Random, service: string): { region: string; pod: string } {
  const region = random.skewed(REGIONS.length);
  return {
    region: REGIONS[region] ?? "eu-central-1",
    pod: `${service}-7f9c${region}d5b8-${random.below(12).toString(36)}x4q`,
  };
}

function addressOf(random: Random): string {
  const number = random.skewed(120_000);
  return `${80 + (number % 97)}.${(number >> 3) % 251}.${(number >> 8) % 241}.${number % 239}`;
}

/** Returns milliseconds, with a long tail. */
function durationOf(random: Random): number {
  return Math.round(30 / (0.01 + random.share() ** 0.5)) / 10;
}

function statusOf(random: Random): number {
  const share = random.share();
  if (share < 0.86) return 200;
  if (share < 0.9) return 304;
  if (share < 0.93) return 201;
  if (share < 0.965) return 404;
  return share < 0.98 ? 401 : random.pick([500, 502, 503]);
}
