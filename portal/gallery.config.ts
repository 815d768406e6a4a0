import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { thinContract } from "./build/thin-contract.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Builds the page with every kind of chart, which `tests/portal/charts.full.ts` looks at. It is not part of the portal. */
// oxlint-disable-next-line import/no-default-export -- the form that Vite reads
export default defineConfig({
  root,
  publicDir: false,
  plugins: [thinContract(), react(), tailwindcss()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    rolldownOptions: { input: fileURLToPath(new URL("./gallery.html", import.meta.url)) },
  },
});
