import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ImportPlan, type ImportRequest, planImport } from "../commands/mcp/import/import-plan.ts";
import { mcpClients } from "../lib/mcp-clients/mcp-clients.ts";

/** Creates a test machine: a home folder with clients' files, and a folder for Paraph. */
export async function createTestMachine(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), "paraph-import-"));
  const [home, folder] = [join(root, "home"), join(root, "paraph")];
  const bin = join(root, "bin");
  await Promise.all([home, folder, bin].map((each) => mkdir(each)));
  for (const name of ["node", "npx"]) await writeFile(join(bin, name), "", { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text.replaceAll("ROOT", root), { mode: 0o640 });
  }
  const environment = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  const plan = (more: Partial<ImportRequest> = {}): Promise<ImportPlan> =>
    planImport({
      folder,
      clients: mcpClients,
      adapters: new Set(),
      isSandboxed: true,
      where: { home, project: join(root, "project"), environment, platform: "linux" },
      endpoint: {
        url: "http://127.0.0.1:4040",
        folder,
        isNamed: false,
        self: ["/usr/bin/node", "/opt/paraph.js"],
        isBridge: false,
      },
      ...more,
    });
  return {
    root,
    home,
    folder,
    environment,
    plan,
    journal: join(folder, ".paraph", "mcp-import"),
    read: (name: string) => readFile(join(root, name), "utf8"),
    tree: () => readTree(root),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

/** Returns every file with its permissions, except Paraph's own folders. */
async function readTree(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !`${entry.parentPath}/${entry.name}`.match(/\/\.(paraph|local)/));
  const found = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    return [path, `${mode.toString(8)} ${entry.isFile() ? (await readFile(path)).toString("base64") : "/"}`];
  });
  return Object.fromEntries(await Promise.all(found)) as Record<string, string>;
}
