import { execa } from "execa";
import { programOf, searchPath } from "./search-path.ts";
import { seccompFilter } from "./seccomp.ts";

export type SandboxHere =
  | {
      readonly kind: "there";
      readonly version: string;
      readonly path: string;
      /** Which system calls programs in it may make. */
      readonly filter: Buffer;
    }
  | { readonly kind: "missing"; readonly message: string };

let known: Promise<SandboxHere> | undefined;

/** Whether programs can be shut in here. Tried once where it works, again each time where it does not. */
export async function sandboxHere(): Promise<SandboxHere> {
  known ??= lookForSandbox();
  const here = await known;
  if (here.kind === "missing") known = undefined;
  return here;
}

/** By trying it: many a system has bubblewrap and forbids what it needs. */
export async function lookForSandbox(folders = searchPath, arch?: string): Promise<SandboxHere> {
  const path = process.platform === "linux" ? await programOf("bwrap", folders) : undefined;
  if (path === undefined)
    return missing("There is no sandbox here: install bubblewrap 0.8 or newer, on Linux.");
  const { stdout } = await execa(path, ["--version"], { ...bare, stdin: "ignore" });
  const [version = "0", major = 0, minor = 0] = /(\d+)\.(\d+)[\d.]*/.exec(stdout) ?? [];
  if (Number(major) === 0 && Number(minor) < 8) {
    return missing("The sandbox here is too old: install bubblewrap 0.8 or newer.");
  }
  const filter = seccompFilter(arch);
  if (filter === undefined)
    return missing(
      "The sandbox has no system call filter for this processor: run Paraph on x86-64 or AArch64.",
    );
  const { exitCode } = await execa(path, trial, { ...bare, stdio: ["ignore", "pipe", "pipe", filter] });
  if (exitCode === 0) return { kind: "there", version, path, filter };
  return missing(
    "bubblewrap may not make its namespaces here: allow unprivileged user namespaces, and a kernel with seccomp.",
  );
}

const bare = { cwd: "/", extendEnv: false, reject: false, timeout: 5_000 } as const;

const trial = [
  ...[
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
  ],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/proc"],
  ...["--seccomp", "3", "/usr/bin/true"],
];

function missing(message: string): SandboxHere {
  return { kind: "missing", message };
}
