import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** Returns the hash of the functions and migrations in a folder. Each generation has another one. */
export async function hashSchema(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const kind of ["functions", "migrations"]) {
    const names = (await readdir(`${folder}/${kind}`)).filter((name) => name.endsWith(".sql")).sort();
    for (const name of names) hash.update(`${await readFile(`${folder}/${kind}/${name}`, "utf8")}\n`);
  }
  return hash.digest("hex");
}
