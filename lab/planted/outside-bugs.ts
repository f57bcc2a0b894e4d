import type { Bug } from "./bug.ts";

const adapters = (path: string) => `packages/server/src/adapters/${path}`;

/** Mutations where Paraph meets other systems: the sandbox, addresses, faults of capabilities, previews. */
export const outsideBugs: readonly Bug[] = [...sandbox()];

function sandbox(): Bug[] {
  const kernel = (title: string) => ({ file: adapters("process/kernel.test.ts"), title });
  return [
    {
      name: "let root write kernel settings",
      file: adapters("process/sandbox.ts"),
      find: '["/", "/dev", "/proc"].flatMap',
      replace: '["/", "/dev"].flatMap',
      caughtBy: kernel("no setting opens for writing, as root neither"),
    },
    {
      name: "show the kernel's own files",
      file: adapters("process/kernel-files.ts"),
      find: "if (isForAll && !alwaysMasked.has(name)) return [];",
      replace: "if (isForAll || !alwaysMasked.has(name)) return [];",
      caughtBy: kernel("nothing is readable that only root may read, nor what container runtimes hide"),
    },
    {
      name: "run without a system call filter",
      file: adapters("process/sandbox.ts"),
      find: '"--new-session", "--seccomp", "7"]',
      replace: '"--new-session"]',
      caughtBy: kernel("calls that container runtimes deny are denied"),
    },
    {
      name: "let 32-bit programs past the filter",
      file: adapters("process/seccomp.ts"),
      find: "...[jump(equal, auditArch[column]!, 1, 0), give(killProcess)],",
      replace: "",
      caughtBy: {
        file: adapters("process/seccomp.test.ts"),
        title: "[TRUST 18] a program of another architecture is killed: its calls have other numbers",
      },
    },
    {
      name: "open the terminal as root",
      file: adapters("terminal/index.ts"),
      find: "refuseRoot(configured, outer.name);",
      replace: "",
      caughtBy: {
        file: adapters("terminal/index.test.ts"),
        title: "[TRUST 18] as root it does not open, unless the configuration allows it",
      },
    },
  ];
}
