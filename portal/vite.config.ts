import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressed } from "./build/compress.ts";
import { thinContract } from "./build/thin-contract.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

/** `npm start` builds this into `portal/dist`, which the server serves. `PORTAL_SERVER` names a running server for `npx vite`. */
// oxlint-disable-next-line import/no-default-export -- the form that Vite reads
export default defineConfig({
  root,
  plugins: [thinContract(), react(), tailwindcss(), compressed()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    outDir: "dist",
    assetsDir: "portal/assets",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A font or picture inside the style sheet would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
