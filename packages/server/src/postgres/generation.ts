import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * The version of the schema. Paraph compares it with the version in the database. `npm run generation` raises the
 * version whenever a function changes or a migration is added.
 */
export interface Generation {
  readonly generation: number;
  /**
   * The oldest generation of code that may use these functions. Older code runs with newer functions during a rolling
   * upgrade.
   */
  readonly serves: number;
  /** The hash of the functions and migrations of this generation. */
  readonly schema: string;
}

const sqlFolder = fileURLToPath(new URL("./sql/", import.meta.url));

/** Reads the generation of the SQL files in this folder. */
export async function readGeneration(folder: string = sqlFolder): Promise<Generation> {
  return JSON.parse(await readFile(`${folder}/generation.json`, "utf8")) as Generation;
}
