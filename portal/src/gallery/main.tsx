import "~/styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Gallery } from "./gallery.tsx";

const dark = matchMedia("(prefers-color-scheme: dark)");
document.documentElement.dataset["theme"] = dark.matches ? "dark" : "light";
const root = document.querySelector("#root");
if (root === null) throw new Error("cannot start: the page has no root element");
createRoot(root).render(
  <StrictMode>
    <Gallery />
  </StrictMode>,
);
