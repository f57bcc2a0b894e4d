import { createHash } from "node:crypto";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Builds the page that verifies receipts offline, as one file without any other. */
export default defineConfig({
  plugins: [react(), tailwindcss(), inlineEverything()],
  resolve: { conditions: ["paraph-source", "module", "browser", "development|production"] },
  build: {
    outDir: "../server/console",
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    target: "es2024",
    rolldownOptions: { input: "verify.html" },
  },
});

/**
 * Puts the script and the styles into the page, with a policy that allows exactly them by their hashes, and no
 * connection.
 */
function inlineEverything(): Plugin {
  return {
    name: "inline-everything",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else continue;
        delete bundle[name];
      }
      // The text of a script ends at its first closing tag, even inside of a string.
      script = `\n${script.replaceAll("</script", "<\\/script").trim()}\n`;
      style = `\n${style.trim()}\n`;
      const page = bundle["verify.html"];
      if (page?.type !== "asset") throw new Error("The page was not built.");
      const policy = [
        "default-src 'none'",
        `script-src '${hash(script)}'`,
        `style-src '${hash(style)}'`,
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join("; ");
      page.source = String(page.source)
        .replaceAll(/ *<script[^>]*><\/script>\n| *<link rel="stylesheet"[^>]*>\n/g, "")
        .replace(
          /( *)<meta charset="utf-8" \/>\n/,
          (line, indent) =>
            `${line}${indent}<meta http-equiv="content-security-policy" content="${policy}" />\n`,
        )
        .replace("</head>", () => `<style>${style}</style>\n  </head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n  </body>`);
    },
  };
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
