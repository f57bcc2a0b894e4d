import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds the console, unless it is newer than its sources. */
export function buildConsole(): void {
  const built = `${root}packages/server/console/index.html`;
  const sources = globSync(
    [
      "packages/console/{package.json,*.html,vite*.ts}",
      "packages/console/src/**/*.*",
      "packages/core/src/receipts/*",
    ],
    {
      cwd: root,
    },
  );
  const changedAt = Math.max(...sources.map((path) => statSync(`${root}${path}`).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > changedAt) return;
  const vite = `${root}node_modules/vite/bin/vite.js`;
  execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: `${root}packages/console`,
    // Tests set another mode, in which React is larger and slower.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}
