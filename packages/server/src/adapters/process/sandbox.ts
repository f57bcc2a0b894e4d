import { lstat, readlink, realpath } from "node:fs/promises";
import { isAbsolute, normalize, sep } from "node:path";
import type { Sandbox } from "./command.ts";
import { maskedKernelFiles } from "./kernel-files.ts";
import { type Launch, type Ready, refused } from "./launch.ts";
import { sandboxHere } from "./sandbox-here.ts";

/**
 * Has bubblewrap start the program where it sees only what is named. What bubblewrap is told travels through a file of
 * its own: on its command line every user of the machine could read the environment, and in its environment a variable
 * like `LD_PRELOAD` would act before there is a sandbox.
 */
export async function sandboxed(sandbox: Sandbox | undefined, launch: Launch): Promise<Launch> {
  if (launch.kind === "refused" || sandbox === undefined) return launch;
  const here = await sandboxHere();
  if (here.kind === "missing") return refused(here.message);
  const folders = await foldersOf(sandbox);
  const wrong = folders.find(({ path, real }) => !mayBeShown(path) || !mayBeShown(real));
  if (wrong !== undefined)
    return refused(`\`${wrong.path}\` cannot be in a sandbox: name a folder of your own.`);
  const options = [
    ...isolation(sandbox),
    ...(await system(sandbox)),
    ...(await withHidden(folders, sandbox)).flatMap(({ how, real, path }) =>
      how === "--tmpfs" ? [how, path] : [how, real, path],
    ),
    ...inside(launch),
  ];
  return {
    kind: "ready",
    file: here.path,
    args: ["--args", "4", "--json-status-fd", "3", "--", launch.file, ...launch.args],
    cwd: "/",
    env: {},
    handed: [Buffer.from(options.map((option) => `${option}\0`).join("")), passwd, group, here.filter],
  };
}

function isolation({ network = false }: Sandbox): string[] {
  return [
    ...["--unshare-user", "--uid", nobody, "--gid", nobody, "--disable-userns", "--cap-drop", "ALL"],
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--seccomp", "7"],
  ];
}

/** The system's programs and libraries, and of its settings only what they need to be linked and to trust hosts. */
async function system({ network = false }: Sandbox): Promise<string[]> {
  const roots = await Promise.all(systemFolders.map(asOutside));
  const settings = [...linking, ...trust, ...(network ? naming : [])];
  return [
    ...roots.flat(),
    ...settings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind-data", "5", "/etc/passwd", "--ro-bind-data", "6", "/etc/group"],
    ...[
      "--proc",
      "/proc",
      ...(await maskedKernelFiles()),
      "--dev",
      "/dev",
      "--size",
      `${temporaryBytes}`,
      "--tmpfs",
      "/dev/shm",
    ],
    ...["--size", `${temporaryBytes}`, "--tmpfs", "/tmp"],
  ];
}

/** The outer before the inner, so that a folder inside another may be shown otherwise than that one. */
async function foldersOf({ read = [], write = [], home }: Sandbox) {
  const bound = [
    ...read.map((path) => ({ path, how: "--ro-bind" })),
    ...[...write, ...(home === undefined ? [] : [home])].map((path) => ({ path, how: "--bind" })),
  ];
  bound.sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return Promise.all(
    bound.map(async ({ path, how }) => ({ path, how, real: await realpath(path).catch(() => path) })),
  );
}

type Folder = Awaited<ReturnType<typeof foldersOf>>[number];

/** What is hidden lies in the sandbox wherever a folder around it is shown; a folder within it that is named is there again. */
async function withHidden(folders: readonly Folder[], { hidden = [] }: Sandbox): Promise<Folder[]> {
  const places = await Promise.all(hidden.map((path) => realpath(path).catch(() => undefined)));
  const covered = places.flatMap((place) =>
    place === undefined
      ? []
      : folders
          .filter(({ real }) => place === real || place.startsWith(`${real}${sep}`))
          .map(({ path, real }) => ({ path: path + place.slice(real.length), how: "--tmpfs", real: place })),
  );
  return [...folders, ...covered].sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

function depthOf(path: string): number {
  return normalize(path).split(sep).filter(Boolean).length;
}

/** Neither the whole machine, nor what is made anew in every sandbox. */
function mayBeShown(path: string): boolean {
  const plain = normalize(path);
  return (
    isAbsolute(path) && !path.split(sep).includes("..") && !/^\/(?:(?:proc|dev|sys)(?:\/.*)?)?$/.test(plain)
  );
}

/**
 * Last, since no mount point can be made any more once the root is read-only. The whole of `/proc` is: the kernel
 * lets root's user id write to its settings there, whatever capabilities a process has.
 */
function inside({ cwd, env }: Ready): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  const readOnly = ["/", "/dev", "/proc"].flatMap((path) => ["--remount-ro", path]);
  return [...readOnly, "--chdir", cwd, "--clearenv", ...variables];
}

/** `/bin` is a link to `usr/bin` on most systems, and a folder on some. */
async function asOutside(path: string): Promise<string[]> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

const nobody = "65534";
const temporaryBytes = 256 * 1024 * 1024;
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const linking = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
];
// Not the whole of these folders: private keys are kept beside the certificates.
const trust = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted"];
const naming = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols"];
const passwd = Buffer.from(`nobody:x:${nobody}:${nobody}:nobody:/tmp:/usr/sbin/nologin\n`);
const group = Buffer.from(`nogroup:x:${nobody}:\n`);
