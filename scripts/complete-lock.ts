// Adds the optional packages of other platforms to the lockfile. npm omits packages that the registry does not have at
// that time. `npm ci` then rejects the lockfile on every platform. At install, npm skips packages that do not fit the
// platform.
import { readFileSync, writeFileSync } from "node:fs";

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockEntry> };

for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (place in lock.packages || !/^\d/.test(version)) continue;
    lock.packages[place] = {
      version,
      ...parsePlatform(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);

/** Parses names like `binding-linux-arm64-musl` and `cli-win32-x64`. */
function parsePlatform(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  const found = (words: readonly string[]) =>
    words.filter((word) => new RegExp(`[-/]${word}(-|$)`).test(name));
  const os = found(["android", "darwin", "freebsd", "linux", "openharmony", "win32"]);
  const cpu = found(["arm", "arm64", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"]);
  const libc = /-musl/.test(name) ? ["musl"] : /-gnu/.test(name) ? ["glibc"] : [];
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) };
}
