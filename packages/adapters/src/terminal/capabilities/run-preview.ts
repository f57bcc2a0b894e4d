import { CapabilityError, type ExecutionContext, type Preview } from "@paraph/core";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { TerminalContext } from "../context.ts";
import type { WorkspaceTree } from "../workspace/entry.ts";
import { readWorkspaceTree } from "../workspace/tree.ts";
import { formatArguments, formatFolder, parseFolder, type RunInput } from "./run-input.ts";

/** [P3] Previews a run. It reads the workspace and starts no program. */
export async function previewRun(
  terminalContext: TerminalContext,
  asked: RunInput,
  context: ExecutionContext,
): Promise<Preview> {
  throwIfStopped(context);
  const tree = await readWorkspaceTree(terminalContext);
  const folder = parseFolder(asked);
  requireFolder(tree, folder);
  const { network, read, workspace, limits, timeoutMs, env } = terminalContext;
  return {
    changes: [
      {
        kind: "run",
        target: asked.argv[0]!,
        summary: `runs ${formatArguments(asked.argv)} in ${formatFolder(folder)}, ${network ? "with" : "without"} the network`,
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

/**
 * Rejects a missing folder with a clear error. Without this check, the only sign would be that the program fails to
 * start in the sandbox.
 */
export function requireFolder({ entries }: WorkspaceTree, folder: string): void {
  const path = Buffer.from(folder).toString("latin1");
  if (folder === "" || entries.some((each) => each.kind === "folder" && each.path === path)) return;
  throw new CapabilityError(
    "permanent",
    "not-a-folder",
    "`cwd` is not a folder of the workspace. Send an existing folder.",
  );
}
