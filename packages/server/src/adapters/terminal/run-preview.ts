import { CapabilityError, type ExecutionContext, type Preview } from "@paraph/core";
import type { Tree } from "./entry.ts";
import { argvShown, folderOf, folderShown, type Request } from "./request.ts";
import { notStopped, type Setting } from "./setting.ts";
import { treeOf } from "./tree.ts";

/** [P3] Reads the workspace and starts nothing. */
export async function previewRun(
  setting: Setting,
  asked: Request,
  world: ExecutionContext,
): Promise<Preview> {
  notStopped(world);
  const tree = await treeOf(setting);
  const folder = folderOf(asked);
  demandFolder(tree, folder);
  const { network, read, workspace, limits, timeoutMs, env } = setting;
  return {
    changes: [
      {
        kind: "run",
        target: asked.argv[0]!,
        summary: `runs ${argvShown(asked.argv)} in ${folderShown(folder)}, ${network ? "with" : "without"} the network`,
        details: {
          argv: [...asked.argv],
          cwd: folder,
          ...(asked.stdin !== undefined && { stdin: asked.stdin }),
          network,
          writes: [workspace],
          reads: [...read],
          environment: Object.keys(env),
          limits: { ...limits },
          timeoutMs,
        },
      },
    ],
    basis: { tree: tree.digest },
  };
}

/** In the sandbox a folder that is not there would only be a program that does not start. */
export function demandFolder({ entries }: Tree, folder: string): void {
  const path = Buffer.from(folder).toString("latin1");
  if (folder === "" || entries.some((each) => each.kind === "folder" && each.path === path)) return;
  throw new CapabilityError(
    "permanent",
    "not-a-folder",
    "`cwd` is no folder of the workspace: name one that is.",
  );
}
