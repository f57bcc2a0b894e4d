import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ["paraph-source", "module", "browser", "development|production"] },
  build: {
    // The server delivers the console from this folder of its own package.
    outDir: "../server/console",
    emptyOutDir: true,
    // The policy of the page allows no data addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: "es2024",
  },
});
