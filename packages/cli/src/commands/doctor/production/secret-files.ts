import { globSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "@paraph/server";
import type { SecretFiles } from "./host-checks.ts";

/** Finds the files with secrets below the folder of the configuration, and those that every user can read. */
export function readSecretFiles(folder: string, config: Config | undefined): SecretFiles {
  const tlsKey = config?.http?.tls?.key;
  const files = [
    ...globSync(["secrets/*/*", ".paraph/mcp-logins/**/*"], { cwd: folder }).map((name) =>
      join(folder, name),
    ),
    ...(tlsKey === undefined ? [] : [resolve(folder, tlsKey)]),
  ].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  return { checked: files.length, exposed: files.filter(isReadableByAll).sort() };
}

/** A file is open to all users only if they can also enter each folder above it. */
function isReadableByAll(file: string): boolean {
  if (process.platform === "win32" || (statSync(file).mode & 0o004) === 0) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
