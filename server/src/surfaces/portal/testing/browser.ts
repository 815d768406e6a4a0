import { Compile } from "typebox/compile";
import { PORTAL_ROUTES, type Route } from "@mooring/contract";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** Sends requests as the portal's pages do: with their origin, and with the newest cookies. */
export interface Browser {
  readonly cookie: string | undefined;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

const COOKIE = "__Host-mooring";
const DEVICE = "__Host-mooring-device";

/** `first` and `firstDevice`: the values of the cookies of a session, and of a browser in which somebody signed in before. */
export function createBrowser(url: string, origin: string, first?: string, firstDevice?: string): Browser {
  let cookie = first;
  let device = firstDevice;
  return {
    get cookie() {
      return cookie;
    },
    call: async (method, path, body, headers = {}) => {
      const cookies = Object.entries({ [COOKIE]: cookie, [DEVICE]: device }).filter(([, value]) => value !== undefined);
      const shown = cookies.map(([name, value]) => `${name}=${value}`).join("; ");
      const own = { origin, ...(shown === "" ? {} : { cookie: shown }) };
      const answer = await send(url, { method, path, body, headers: { ...own, ...headers } });
      requireForm(method, path, answer);
      for (const line of answer.headers.getSetCookie()) {
        const value = new RegExp(`^${COOKIE}=([^;]*)`).exec(line)?.[1];
        if (value !== undefined) cookie = value === "" ? undefined : value;
        device = new RegExp(`^${DEVICE}=([^;]*)`).exec(line)?.[1] ?? device;
      }
      return answer;
    },
  };
}

/** Asserts that every success has the form of its row, in every test. */
function requireForm(method: string, path: string, answer: Answer): void {
  const [address = ""] = path.split("?");
  const row = ROWS.find((each) => each.method === method && each.matches(address));
  if (row === undefined || answer.status >= 300) return;
  const isRight = answer.status === row.status && (row.check?.Check(answer.json) ?? answer.text === "");
  if (!isRight) throw new Error(`${method} ${path} answers what its row does not say: ${answer.status} ${answer.text}`);
}

const ROWS = Object.values(PORTAL_ROUTES as Record<string, Pick<Route, "method" | "path" | "status" | "result">>).map(
  ({ method, path, status, result }) => {
    const pattern = new RegExp(`^${path.replace(/\{[a-z_]+\}/g, "[^/]+")}$`);
    const check = result === undefined ? undefined : Compile(result);
    return { method, status, check, matches: (address: string) => pattern.test(address) };
  },
);

export async function send(
  url: string,
  request: { method: string; path: string; body: unknown; headers: Readonly<Record<string, string>> },
): Promise<Answer> {
  const { method, path, body, headers } = request;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
