import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const server = "packages/server/src/";

/**
 * The folders of the server that each folder may import from. `docs/ARCHITECTURE.md` explains them. `start/` and the
 * entry point may import from all.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  builtin: [],
  config: ["builtin", "identity", "observations", "policy", "services", "telemetry", "webhooks"],
  engine: ["postgres", "telemetry"],
  http: ["postgres", "services", "web"],
  identity: [],
  mcp: ["services"],
  observations: [],
  policy: ["builtin", "config", "http", "postgres", "services", "system"],
  postgres: [],
  progress: [],
  services: ["builtin", "config", "engine", "identity", "policy", "postgres", "system"],
  system: [],
  telemetry: [],
  web: ["http", "services"],
  webhooks: [],
};

const sources = execFileSync("git", ["ls-files", `${server}*.ts`], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => !/\.test\.ts$|\/testing\/|\/testing\.ts$|\/test-[^/]+$/.test(file));

describe.each(Object.entries(allowed))("server/src/%s", (folder, others) => {
  it(`imports only from ${["itself", ...others].join(", ")}`, () => {
    const imported = sources
      .filter((file) => file.startsWith(`${server}${folder}/`))
      .flatMap((file) => foldersImportedBy(file).map((to) => ({ file, to })))
      .filter(({ to }) => to !== folder && !others.includes(to));
    expect(imported).toEqual([]);
  });
});

it("names every folder of the server", () => {
  const folders = new Set(
    sources
      .map((file) => file.slice(server.length).split("/"))
      .flatMap(([first, second]) => (second ? [first!] : [])),
  );
  folders.delete("start");
  expect([...folders].sort()).toEqual(Object.keys(allowed).sort());
});

/** Returns the folders of the server that a file imports from, itself included. */
function foldersImportedBy(file: string): string[] {
  return [...readFileSync(root + file, "utf8").matchAll(/ from "(\.[^"]+)"/g)].flatMap(([, specifier]) => {
    const target = posix.join(posix.dirname(file), specifier!);
    const [folder, rest] = target.slice(server.length).split("/");
    return target.startsWith(server) && rest ? [folder!] : [];
  });
}
