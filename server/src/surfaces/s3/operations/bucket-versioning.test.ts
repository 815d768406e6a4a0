import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const versioning = (status: string): string =>
  `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;

test("turns versioning on and suspends it", async () => {
  const { gateway, bucket } = shared;
  const get = async (): Promise<string> => succeeded(await gateway.call("GET", `/${bucket}?versioning`)).text;
  assert.doesNotMatch(await get(), /Status/);
  for (const status of ["Enabled", "Suspended"]) {
    succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body: versioning(status) }), 200);
    assert.match(await get(), new RegExp(`<Status>${status}</Status>`));
  }
  const put = (body: string) => gateway.call("PUT", `/${bucket}?versioning`, { body });
  refused(await put(versioning("Sometimes")), "IllegalVersioningConfigurationException", 400);
  refused(await put(versioning("Enabled").replace("</V", "<MfaDelete>Enabled</MfaDelete></V")), "NotImplemented", 501);
  refused(await put(""), "MalformedXML", 400);
});
