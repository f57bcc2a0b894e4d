// Raises the generation of the SQL functions if their text changed. An older version of Paraph then cannot restore its
// own functions.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../packages/server/src/postgres/sql", import.meta.url));
const names = (await readdir(`${folder}/functions`)).filter((name) => name.endsWith(".sql")).sort();
const texts = await Promise.all(names.map((name) => readFile(`${folder}/functions/${name}`, "utf8")));
const functions = createHash("sha256").update(texts.join("\n")).digest("hex");
const file = `${folder}/generation.json`;
const known = JSON.parse(await readFile(file, "utf8"));
if (known.functions !== functions) {
  const raised = { ...known, generation: known.generation + 1, functions };
  await writeFile(file, `${JSON.stringify(raised, null, 2)}\n`);
}
