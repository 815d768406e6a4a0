// Runs on any Node >= 18, before anything is installed.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/** The settings of listen addresses, with their defaults (server/src/app/settings.ts). */
export const LISTEN_DEFAULTS = {
  listen: "127.0.0.1:8080",
  s3_listen: "127.0.0.1:9000",
  metrics_listen: "127.0.0.1:9464",
};

/**
 * Tries the addresses that `mooring serve` will listen on, so that a busy port is reported before a long installation.
 * The server reports other faults of the settings.
 * @throws Error that names each busy address and the setting to change
 */
export async function tryPorts(args, environment) {
  const addresses = addressesOf(args, environment);
  const busy = [];
  for (const [setting, address] of Object.entries(addresses)) {
    if ((await bindErrorOf(address)) === "EADDRINUSE") busy.push([setting, address]);
  }
  if (busy.length === 0) return;
  const lines = busy.map(
    ([setting, address]) =>
      `cannot listen on ${address}: another process listens there; stop it, or choose another address: ` +
      `npm start -- --${setting.replaceAll("_", "-")} 127.0.0.1:PORT`,
  );
  throw new Error(lines.join("\n"));
}

/** A flag has priority over the environment, which has priority over the file. */
export function addressesOf(args, environment) {
  const file = settingsFile(args, environment);
  const addresses = {};
  for (const [setting, address] of Object.entries(LISTEN_DEFAULTS)) {
    const variable = environment[`MOORING_${setting.toUpperCase()}`];
    addresses[setting] = flagOf(args, setting.replaceAll("_", "-")) ?? variable ?? file[setting] ?? address;
  }
  return addresses;
}

function flagOf(args, name) {
  const joined = args.findLast((arg) => arg.startsWith(`--${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 3);
  const at = args.lastIndexOf(`--${name}`);
  return at < 0 ? undefined : args[at + 1];
}

function settingsFile(args, environment) {
  const path = flagOf(args, "config") ?? environment.MOORING_CONFIG;
  if (path === undefined) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/** Returns the error code of binding the address; undefined when it works, or when the text is not a host and port. */
function bindErrorOf(address) {
  const match = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(address);
  if (match === null) return Promise.resolve(undefined);
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(error.code));
    server.listen(Number(match[3]), match[1] ?? match[2], () => server.close(() => resolve(undefined)));
  });
}
