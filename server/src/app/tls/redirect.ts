import { openListener, type Listener } from "#http/index.ts";

/**
 * Answers each request with the same path on the portal's address, and does nothing else. The target never comes from the Host that the
 * client sends, so nobody can be led to another site.
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

/** The path and the query of a target. Another form, `*` or a whole address, leads to the portal. */
function pathOf(target: string): string {
  return /^\/[!-~]*$/.test(target) ? target : "/";
}
