import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { queryEngine } from "./query-engine.ts";

/** The parts of a cluster that these functions use. */
interface EngineLocation {
  readonly folder: string;
  readonly restate: { readonly adminUrl: string };
}

/** Returns everything that the engine's tables contain, and its log. */
export async function readJournal(cluster: EngineLocation): Promise<string> {
  const tables = ["sys_journal", "sys_invocation", "sys_inbox", "state", "sys_keyed_service_status"];
  const answers = await Promise.all(
    tables.map((table) => queryEngine(cluster.restate.adminUrl, `select * from ${table}`)),
  );
  return `${answers.join("\n")} ${await readFile(join(cluster.folder, "restate.log"), "utf8")}`;
}

/** Returns the contents of the engine's files on disk. */
export async function readEngineFiles(cluster: EngineLocation): Promise<string> {
  const names = await readdir(join(cluster.folder, "restate"), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map((entry) =>
      // The running engine deletes files that it no longer needs, even after this function has listed them.
      readFile(join(entry.parentPath, entry.name), "latin1").catch((error) => {
        if (error.code === "ENOENT") return "";
        throw error;
      }),
    ),
  );
  return texts.join("\n");
}
