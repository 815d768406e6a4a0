import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, createQueries } from "~/app/app.tsx";
import { askForFirstView } from "~/app/first-view.ts";
import { applyTheme } from "~/app/theme.ts";
import { styleNonce } from "~/app/nonce.ts";

styleNonce();
applyTheme();
const queries = createQueries();
askForFirstView(queries, location.pathname);
const root = document.querySelector("#root");
if (root === null) throw new Error("cannot start: the page has no root element");
createRoot(root).render(
  <StrictMode>
    <App queries={queries} />
  </StrictMode>,
);
