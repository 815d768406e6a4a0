import { discover, endLogin } from "@mooring/client";
import { systemClock } from "#kernel/time.ts";
import { command, CommandError, ExitCode, noMore, textOption, UsageError, type Option } from "../command.ts";
import { processEnvironment } from "../../config.ts";
import { checkedUrl, DEFAULT_URL } from "../connection.ts";
import { loginsFile, changeLogins, chosenLogin, isSameLogin, readLogins } from "./store.ts";
import { signIn, whoIs } from "./tokens.ts";

const LOGIN_USAGE = `
Usage: mooring login [URL] [--device] [--org ORG]

Signs you in to the command line, for one organization. Commands then act as you, and the audit log shows you. The default URL is
MOORING_URL, or ${DEFAULT_URL}. A browser opens on this machine, and you approve the login there. With --device, for example over SSH, you
type a code in a browser elsewhere. The login is kept in a file that only you can read, and ends after 30 days without use.

  mooring login https://mooring.example.com
  mooring login https://mooring.example.com --device --org acme
`;

const ORG: Option = {
  name: "org",
  value: "ORG",
  description: "the organization (slug); default: you choose in the browser",
};

export const login = command(
  LOGIN_USAGE,
  [ORG, { name: "device", description: "sign in with a code, in a browser on another machine" }],
  async (parsed) => {
    const [given = processEnvironment()["MOORING_URL"] ?? DEFAULT_URL, ...rest] = parsed.positionals;
    noMore(rest);
    const url = checkedUrl(given);
    const addresses = await discover(url);
    const organization = textOption(parsed, "org");
    const flow = parsed.values["device"] === true ? "device" : "browser";
    const former = chosenLogin(readLogins(), { url, organization });
    const who = (token: string) => whoIs(addresses, token);
    const made = await signIn({ url, organization, flow, addresses, who }, systemClock);
    if (former !== undefined && isSameLogin(former, made))
      await endLogin(former.addresses, former.refresh_token).catch(() => undefined);
    process.stdout.write(`signed in to ${made.organization} at ${url} as ${made.email}\n`);
  },
);

const LOGOUT_USAGE = `
Usage: mooring logout [URL] [--org ORG] [--all]

Ends your login: the server refuses its tokens at once, and the file no longer has it. Without URL and --org it is the newest login.

  mooring logout
  mooring logout --all
`;

export const logout = command(
  LOGOUT_USAGE,
  [
    { ...ORG, description: "the organization of the login (slug)" },
    { name: "all", description: "end every login of this machine" },
  ],
  async (parsed) => {
    const [url, ...rest] = parsed.positionals;
    noMore(rest);
    const all = parsed.values["all"] === true;
    if (all && (url !== undefined || textOption(parsed, "org") !== undefined))
      throw new UsageError("--all ends every login; name no URL or --org");
    const asked = { url: url === undefined ? undefined : checkedUrl(url), organization: textOption(parsed, "org") };
    const ended = await changeLogins(async (logins) => {
      const one = chosenLogin(logins, asked);
      const chosen = all ? logins : one === undefined ? [] : [one];
      return { logins: logins.filter((each) => !chosen.includes(each)), result: chosen };
    });
    if (ended.length === 0)
      throw new CommandError("you are not signed in there; mooring auth status lists your logins");
    let failure: unknown;
    for (const { addresses, refresh_token, organization, url: at } of ended) {
      await endLogin(addresses, refresh_token).then(
        () => process.stdout.write(`signed out of ${organization} at ${at}\n`),
        (error: unknown) => (failure = error),
      );
    }
    if (failure !== undefined)
      throw new CommandError(
        `removed from this machine, but the server was not told; end the login in the portal, under Account, Sessions (${(failure as Error).message})`,
        ExitCode.unreachable,
      );
  },
);

const AUTH_USAGE = `
Usage: mooring auth status [--json]

Lists your logins: where, as whom, until when, and in which file. The first one is used unless --url or --org chooses another, or the
environment has a credential or token.

  mooring auth status
`;

/** Variables that replace a login, in the order in which they are used. */
const VARIABLES = ["MOORING_CLIENT_ID", "MOORING_CREDENTIALS", "MOORING_TOKEN"];

export const auth = command(AUTH_USAGE, [{ name: "json", description: "print JSON" }], async (parsed) => {
  const [action, ...rest] = parsed.positionals;
  if (action !== "status") throw new UsageError("name a subcommand: status");
  noMore(rest);
  const file = loginsFile();
  const overridden = VARIABLES.find((name) => (processEnvironment()[name] ?? "") !== "") ?? null;
  const logins = readLogins(file).map(({ url, organization, email, flow, access_until, until }) => ({
    url,
    organization,
    email,
    flow,
    access_until,
    until,
  }));
  if (parsed.values["json"] === true) {
    process.stdout.write(
      `${JSON.stringify({ file, stored: "clear text, readable only by you", overridden_by: overridden, logins }, null, 2)}\n`,
    );
    return logins.length === 0 ? ExitCode.failed : ExitCode.ok;
  }
  if (overridden !== null) process.stderr.write(`${overridden} is set, so commands use it instead of a login\n`);
  if (logins.length === 0) throw new CommandError("you are not signed in; run mooring login");
  for (const { url, organization, email, until } of logins)
    process.stdout.write(
      `${url}\n  person        ${email}\n  organization  ${organization}\n  ends          ${until}, or after 30 days without use\n`,
    );
  process.stdout.write(`kept in ${file}, in clear text that only you can read\n`);
  return ExitCode.ok;
});
