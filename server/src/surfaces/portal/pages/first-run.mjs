/** The set-up and the invitation page. Text only ever reaches the page as text, never as markup. */

const main = document.querySelector("main");
const form = document.getElementById("form");
const message = document.getElementById("message");
const fields = { "/name": document.getElementById("name"), "/password": document.getElementById("password") };

const PAGES = {
  setup: { address: "/api/setup", kind: "set-up link", done: showCredential },
  invitation: { address: "/v1/invitations/accept", kind: "invitation link", done: showMembership },
};
const page = PAGES[main.dataset.page];

const token = location.hash.slice(1);
// Out of the address bar and the history at once: a link works once, but nobody should read it over a shoulder.
history.replaceState(null, "", location.pathname);

if (token === "") {
  say(`There is no secret in this address. Open the whole ${page.kind}, with what stands after the #.`);
} else {
  form.hidden = false;
  fields["/name"].focus();
}

document.getElementById("reveal").addEventListener("change", (event) => {
  fields["/password"].type = event.target.checked ? "text" : "password";
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void submit();
});

async function submit() {
  clearErrors();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await send();
  } catch {
    say("The server can't be reached. Nothing was changed; try again.");
  } finally {
    button.disabled = false;
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => void copy(button.dataset.copy));
}

async function copy(id) {
  const text = document.getElementById(id).textContent;
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  document.getElementById("copied").textContent = copied
    ? "Copied."
    : "The browser does not let this page copy; select the text instead.";
}

async function send() {
  const name = fields["/name"].value.trim();
  const body = {
    token,
    password: fields["/password"].value,
    ...(name === "" && page === PAGES.invitation ? {} : { name }),
  };
  const response = await fetch(page.address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) {
    form.hidden = true;
    message.hidden = true;
    page.done(answer, response);
    document.getElementById("done").hidden = false;
    document.getElementById("done-title").focus();
  } else {
    showProblem(answer);
  }
}

/** An RFC 9457 problem: what belongs to a field stands at the field. */
function showProblem(problem) {
  let first;
  for (const { pointer, detail } of problem.errors ?? []) {
    const field = fields[pointer];
    if (field === undefined) continue;
    first ??= field;
    const place = document.getElementById(`${field.id}-error`);
    place.textContent = fieldText(pointer, detail);
    place.hidden = false;
    field.setAttribute("aria-invalid", "true");
  }
  if (first === undefined) say(`${problem.detail} (request ${problem.request_id})`);
  else first.focus();
}

function fieldText(pointer, detail) {
  if (pointer === "/password") return "The password needs 12 characters or more, and 1024 at most.";
  if (pointer === "/name") return "Give your name, up to 100 characters.";
  return detail;
}

function clearErrors() {
  message.hidden = true;
  for (const field of Object.values(fields)) {
    field.removeAttribute("aria-invalid");
    document.getElementById(`${field.id}-error`).hidden = true;
  }
}

function say(text) {
  message.textContent = text;
  message.hidden = false;
}

function showCredential({ credential, addresses }, response) {
  document.getElementById("client-id").textContent = credential.client_id;
  document.getElementById("client-secret").textContent = credential.client_secret;
  const at = new Date(response.headers.get("date")).toISOString(); // the clock that the query will compare with
  document.getElementById("commands").textContent = [
    `CLIENT_ID=${credential.client_id}`,
    `CLIENT_SECRET=${credential.client_secret}`,
    `TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials ${addresses.identity_url}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '{"entries":[{"timestamp":"${at}","level":"info","message":"hello"}]}' ${addresses.ingest_url}/v1/ingest/logs`,
    `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '{"sql":"SELECT timestamp, level, message FROM logs ORDER BY timestamp DESC LIMIT 10"}' ${addresses.query_url}/v1/query`,
  ].join("\n");
}

function showMembership({ organization, role, user }) {
  document.getElementById("joined").textContent =
    `${user.email} is now a member of ${organization.name} as ${role}. You can close this page.`;
}
