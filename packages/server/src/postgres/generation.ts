import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The order of versions as the database knows it. `npm run generation` raises it whenever a function changed. */
export interface Generation {
  readonly generation: number;
  /** The oldest code that may use these functions, as during a rolling upgrade. */
  readonly serves: number;
  /** The hash of the functions that this generation stands for. */
  readonly functions: string;
}

const sqlFolder = fileURLToPath(new URL("./sql/", import.meta.url));

export async function readGeneration(folder: string = sqlFolder): Promise<Generation> {
  return JSON.parse(await readFile(`${folder}/generation.json`, "utf8")) as Generation;
}
