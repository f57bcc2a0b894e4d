import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFilesCapabilities } from "@paraph/adapters/files";
import type { Json } from "@paraph/core";
import { createTestContext } from "../../packages/adapters/src/files/testing.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** Tries hostile values as paths to write, read, copy and delete. Files beside the root must not change. */
const pathTarget: InjectionTarget = {
  name: "files: a path",
  share: 30,
  async prepare(folder): Promise<InjectionStage> {
    const [root, outside] = [join(folder, "root"), join(folder, "outside")];
    for (const each of [root, outside]) await mkdir(each);
    await writeFile(join(outside, "kept"), "kept");
    await writeFile(join(root, "own"), "own");
    const capabilities = new Map(createFilesCapabilities({ root }).map((each) => [each.contract.name, each]));
    let reached = 0;
    let calls = 0;
    const use = async (name: string, raw: Json) => {
      const capability = capabilities.get(name)!;
      const input = capability.parseInput(raw);
      if (input.kind === "invalid") return;
      calls += 1;
      const call = `call_${calls}`;
      try {
        const basis = (await capability.preview?.(input.value, createTestContext({ call })))?.basis;
        await capability.apply(input.value, createTestContext({ call, basis }));
        reached += 1;
      } catch {
        // The adapter may reject the value.
      }
    };
    return {
      async put(value) {
        await use("files.write", { path: value, content: "x", createFolders: true });
        await use("files.read", { path: value });
        await use("files.copy", { from: "own", to: value, createFolders: true });
        await use("files.delete", { path: value, recursive: true });
      },
      async escapes() {
        const beside = (await readdir(folder)).filter((name) => name !== "root" && name !== "outside");
        const kept = await readdir(outside);
        const same = kept.length === 1 && (await readFile(join(outside, "kept"), "utf8")) === "kept";
        await writeFile(join(root, "own"), "own");
        return [
          ...beside.map((name) => `\`${name}\` came to be beside the root`),
          ...(same ? [] : ["what lay outside is not as it was"]),
        ];
      },
      reached: () => reached,
      close: async () => {},
    };
  },
};

export const fileTargets: readonly InjectionTarget[] = [pathTarget];
