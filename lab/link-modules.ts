import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Links the installed modules into another workspace, which uses its own packages of Paraph. */
export async function linkModules(folder: string): Promise<void> {
  const from = join(root, "node_modules");
  const into = join(folder, "node_modules");
  await mkdir(join(into, "@paraph"), { recursive: true });
  const own = ["@paraph", "paraph"];
  const others = (await readdir(from)).filter((name) => !name.startsWith(".") && !own.includes(name));
  await Promise.all(others.map((name) => symlink(join(from, name), join(into, name))));
  const packages = await readdir(join(folder, "packages"));
  await Promise.all(
    packages.map((name) =>
      symlink(join(folder, "packages", name), join(into, name === "cli" ? "paraph" : `@paraph/${name}`)),
    ),
  );
}
