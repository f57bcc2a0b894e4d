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
  archive: [],
  builtin: ["passkeys"],
  channels: ["builtin", "http", "postgres", "web", "webhooks", "visibility"],
  config: [
    ...[
      "builtin",
      "channels",
      "identity",
      "intents",
      "observations",
      "policy",
      "services",
      "system",
      "telemetry",
      "vault",
      "webhooks",
    ],
  ],
  engine: ["postgres", "telemetry"],
  http: ["passkeys", "postgres", "services", "telemetry", "web", "visibility"],
  identity: [],
  intents: ["builtin", "services"],
  mcp: ["services"],
  observations: [],
  passkeys: [],
  policy: ["builtin", "config", "http", "postgres", "services", "system"],
  postgres: ["archive", "system"],
  progress: [],
  services: [
    "builtin",
    "config",
    "engine",
    "identity",
    "passkeys",
    "policy",
    "postgres",
    "system",
    "visibility",
  ],
  system: [],
  telemetry: [],
  vault: ["system"],
  visibility: [],
  web: ["http", "passkeys", "services", "visibility"],
  webhooks: [],
};

const sources = listSources(server);

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

it("the console imports only types of the API's schemas from the server", () => {
  const files = execFileSync("git", ["ls-files", "packages/console/src/"], { cwd: root, encoding: "utf8" });
  const imports = files
    .trim()
    .split("\n")
    .flatMap((file) => [
      ...readFileSync(root + file, "utf8").matchAll(/import ([^;]*?) from "([^"]*server[^"]*)"/g),
    ])
    .filter(([, what, from]) => !what?.startsWith("type ") || !from?.includes("/server/src/http/schemas/"));
  expect(files).toContain("packages/console/src/api/types.ts");
  expect(imports.map(([text]) => text)).toEqual([]);
});

/**
 * The parts of core's pipeline, from the leaves up. Each part may import only from the parts before it. A stage
 * therefore reads top-down, and the functions that it calls never call back into it.
 */
const pipelineLayers = [
  "transition.ts",
  "close.ts",
  "content-payloads.ts",
  "gate.ts",
  "round.ts",
  "attempt",
  "segment-failed.ts",
  "unproven.ts",
  "ruling",
  "approval",
  "admission",
  "execution",
  "composite",
  "contract-changed.ts",
  "advance.ts",
  "agent",
];

describe("core/src/pipeline", () => {
  const pipeline = "packages/core/src/pipeline/";
  const partOf = (path: string) => path.slice(pipeline.length).split("/")[0]!;
  const files = listSources(pipeline);

  it("has no other parts", () => {
    expect([...new Set(files.map(partOf))].sort()).toEqual([...pipelineLayers].sort());
  });

  it.each(pipelineLayers)("%s imports only from parts below it", (part) => {
    const imported = files
      .filter((file) => partOf(file) === part)
      .flatMap((file) => resolveImports(file).map((to) => ({ file, to })))
      .filter(({ to }) => to.startsWith(pipeline))
      .filter(({ to }) => pipelineLayers.indexOf(partOf(to)) > pipelineLayers.indexOf(part));
    expect(imported).toEqual([]);
  });
});

function listSources(folder: string): string[] {
  return execFileSync("git", ["ls-files", `${folder}*.ts`], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => !/\.test\.ts$|\/testing\/|\/testing\.ts$|\/test-[^/]+$/.test(file));
}

/** Returns the folders of the server that a file imports from, itself included. */
function foldersImportedBy(file: string): string[] {
  return resolveImports(file).flatMap((target) => {
    const [folder, rest] = target.slice(server.length).split("/");
    return target.startsWith(server) && rest ? [folder!] : [];
  });
}

/** Returns the paths of the files that a file imports by a relative path. */
function resolveImports(file: string): string[] {
  return [...readFileSync(root + file, "utf8").matchAll(/ from "(\.[^"]+)"/g)].map(([, specifier]) =>
    posix.join(posix.dirname(file), specifier!),
  );
}
