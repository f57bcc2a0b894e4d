import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react(), tailwindcss(), verifyPage()],
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
    rolldownOptions: {
      output: {
        // Otherwise each shared icon and helper is a file of its own, with headers larger than its code.
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /lucide-react|react-query|react-router|console\/src\/(ui|lib|api)\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});

/** Builds the offline page that verifies receipts after the console, into the same folder. */
function verifyPage(): Plugin {
  return {
    name: "verify-page",
    async closeBundle() {
      await build({ configFile: "vite.verify.config.ts", logLevel: "warn" });
    },
  };
}
