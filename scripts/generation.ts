// Raises the generation of the schema if a function or a migration changed. An older version of Paraph then cannot
// restore its own functions, and this version does not start on a database without its migrations.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { hashSchema } from "./hash-schema.ts";

const folder = fileURLToPath(new URL("../packages/server/src/postgres/sql", import.meta.url));
const schema = await hashSchema(folder);
const file = `${folder}/generation.json`;
const known = JSON.parse(await readFile(file, "utf8"));
if (known.schema !== schema) {
  const raised = { ...known, generation: known.generation + 1, schema };
  await writeFile(file, `${JSON.stringify(raised, null, 2)}\n`);
}
