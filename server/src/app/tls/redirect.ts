import { openListener, type Listener } from "#http/index.ts";

/**
 * Redirects each request to the same path on the portal's address. The address never comes from the Host that the
 * client sends, so the redirect can't lead to another site.
 */
export async function openRedirect(
  address: string,
  { connectionsMax, portalUrl }: { connectionsMax: number; portalUrl: string },
): Promise<Listener> {
  const listener = await openListener(address, { connectionsMax, requireHost: true });
  const { origin } = new URL(portalUrl);
  listener.serve((request, response) => {
    const location = `${origin}${pathOf(request.url ?? "/")}`;
    response.writeHead(308, { location, "content-length": "0", connection: "close" }).end();
  });
  return listener;
}

/** Returns the path and query of a request target. Returns `/` for targets without a path, such as `*`. */
function pathOf(target: string): string {
  return /^\/[!-~]*$/.test(target) ? target : "/";
}
