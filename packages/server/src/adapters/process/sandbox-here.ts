import { execa } from "execa";
import { programOf, searchPath } from "./search-path.ts";

export type SandboxHere =
  | { readonly kind: "there"; readonly version: string; readonly path: string }
  | { readonly kind: "missing"; readonly says: string };

let known: Promise<SandboxHere> | undefined;

/** Whether programs can be shut in here. Tried once where it works, again each time where it does not. */
export async function sandboxHere(): Promise<SandboxHere> {
  known ??= lookForSandbox();
  const here = await known;
  if (here.kind === "missing") known = undefined;
  return here;
}

/** By trying it: many a system has bubblewrap and forbids what it needs. */
export async function lookForSandbox(folders = searchPath): Promise<SandboxHere> {
  const path = process.platform === "linux" ? await programOf("bwrap", folders) : undefined;
  if (path === undefined)
    return missing("There is no sandbox here: install bubblewrap 0.8 or newer, on Linux.");
  const { stdout } = await execa(path, ["--version"], bare);
  const [version = "0", major = 0, minor = 0] = /(\d+)\.(\d+)[\d.]*/.exec(stdout) ?? [];
  if (Number(major) === 0 && Number(minor) < 8) {
    return missing("The sandbox here is too old: install bubblewrap 0.8 or newer.");
  }
  const { exitCode } = await execa(path, trial, bare);
  if (exitCode === 0) return { kind: "there", version, path };
  return missing("bubblewrap may not make its namespaces here: allow unprivileged user namespaces.");
}

const bare = { cwd: "/", extendEnv: false, reject: false, stdin: "ignore", timeout: 5_000 } as const;

const trial = [
  ...[
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
  ],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "/usr/bin/true"],
];

function missing(says: string): SandboxHere {
  return { kind: "missing", says };
}
