import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressed } from "./build/compress.ts";
import { notices } from "./build/notices.ts";
import { thinContract } from "./build/thin-contract.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

/** The paths that `npx vite` forwards to a running server, if `PORTAL_SERVER` names one. */
const SERVED = ["/api", "/v1", "/oauth", "/.well-known", "/health", "/livez", "/readyz"];
const server = process.env["PORTAL_SERVER"];

/** `npm start` builds this into `portal/dist`, which the server serves. */
// oxlint-disable-next-line import/no-default-export -- the form that Vite reads
export default defineConfig({
  root,
  plugins: [thinContract(), react(), tailwindcss(), notices(root), compressed()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: server === undefined ? {} : { proxy: Object.fromEntries(SERVED.map((path) => [path, server])) },
  build: {
    target: "es2023",
    outDir: "dist",
    assetsDir: "portal/assets",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A font or picture inside the style sheet would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // Few files, because a browser sends at most six HTTP/1.1 requests at a time.
        codeSplitting: {
          groups: [
            { name: "shell", tags: ["$initial"], priority: 2 },
            // Only pages that draw load it. Its small relatives are with the pages that use them.
            {
              name: "charts",
              test: /\/src\/kit\/chart\/(?!spark|figure|bar-list|inline-bar|time-steps|result-data)/,
              priority: 2,
            },
            { name: "kit", test: /\/src\/(?:kit|api|app|access|people)\//, minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
});
