// Compiles the packages to JavaScript in dependency order, for publishing.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";

for (const name of ["core", "sdk", "server", "cli"]) {
  const folder = `packages/${name}`;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", `${folder}/tsconfig.build.json`], {
    stdio: "inherit",
  });
  copyAssets(folder);
}

/** Copies SQL, Cedar, YAML and CSS files, because the code reads them at run time from its own folder. */
function copyAssets(folder: string): void {
  for (const asset of [
    "postgres/sql",
    "cedar/presets",
    "adapters/yaml/shipped",
    "adapters/mcp/profiles",
    "adapters/openapi/shipped",
  ]) {
    const from = `${folder}/src/${asset}`;
    if (existsSync(from)) cpSync(from, `${folder}/dist/${asset}`, { recursive: true });
  }
}
