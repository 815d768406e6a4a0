import { boto3Snippets } from "./boto3.ts";
import { credentialEnvironment, type Snippet, type SnippetInput } from "./shared.ts";

/** Snippets for Python without packages; for S3 with boto3. */
export function pythonSnippets(input: SnippetInput): readonly Snippet[] {
  if (input.topic === "s3") return boto3Snippets(input);
  return [
    credentialEnvironment(input),
    {
      title: "mooring.py",
      about:
        "Python 3.9 or later, no packages: `python3 mooring.py`. It gets a new token shortly before the old one expires.",
      text: `${tokenText(input)}\n${callText(input)}`,
    },
  ];
}

function tokenText({ topic, addresses }: SnippetInput): string {
  const more = topic === "telemetry" ? "\nfrom datetime import datetime, timezone" : "";
  return `import base64, json, os, time, urllib.parse, urllib.request${more}

token, ends = "", 0.0

def access_token():
    global token, ends
    if time.time() < ends:
        return token
    pair = f"{os.environ['MOORING_CLIENT_ID']}:{os.environ['MOORING_CLIENT_SECRET']}"
    request = urllib.request.Request(
        "${addresses.identity_url}/oauth/token",
        data=urllib.parse.urlencode({"grant_type": "client_credentials"}).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()},
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    token, ends = answer["access_token"], time.time() + answer["expires_in"] - 30
    return token

def api(url, body=None):
    headers = {"Authorization": f"Bearer {access_token()}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode(), headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)
`;
}

function callText({ topic, addresses, app, project }: SnippetInput): string {
  switch (topic) {
    case "telemetry":
      return `now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
entry = {"timestamp": now, "level": "info", "message": "hello", "service": "${app}"}
print(api("${addresses.ingest_url}/v1/ingest/logs", {"entries": [entry]}))
`;
    case "query":
      return `sql = "SELECT timestamp, message FROM logs WHERE level = $level ORDER BY timestamp DESC LIMIT 10"
print(api("${addresses.query_url}/v1/query", {"sql": sql, "parameters": {"level": "error"}}))
`;
    case "files":
      return `grant = {"filename": "costs.csv", "content_type": "text/csv"${project === null ? "" : `, "project": "${project}"`}}
url = api("${addresses.storage_url}/v1/upload", grant)["data"]["upload_url"]
put = urllib.request.Request(url, data=b"name,amount\\nrent,700\\n", method="PUT", headers={"Content-Type": "text/csv"})
urllib.request.urlopen(put).close()
print(api("${addresses.storage_url}/v1/files?limit=10")["data"]["files"])
`;
    case "registry":
      return `print(api("${addresses.portal_url}/v1/registry/repositories"))
`;
    case "webhooks":
      return `for webhook in api("${addresses.portal_url}/v1/webhooks")["items"]:
    print(webhook["name"], api("${addresses.portal_url}/v1/webhooks/" + webhook["id"] + "/events"))
`;
    case "token":
    case "s3":
      return `print(api("${addresses.portal_url}/v1/me"))
`;
  }
}
