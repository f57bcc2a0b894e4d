import type { Bug } from "./bug.ts";

const adapters = (path: string) => `packages/server/src/adapters/${path}`;

/** Mutations where foreign data decides: what a repository hides, a host echoes, an answer claims, a statement calls. */
export const foreignBugs: readonly Bug[] = [...repositories()];

function repositories(): Bug[] {
  const shown = (title: string) => ({ file: adapters("git/shown.test.ts"), title });
  return [
    {
      name: "let attributes hide the text of a diff",
      file: adapters("git/repository.ts"),
      find: "Buffer.concat([attributes, everyTextShown])",
      replace: "attributes",
      caughtBy: shown("attributes do not hide the text that a commit changes"),
    },
    {
      name: "leave submodules out of what a push shows",
      file: adapters("git/difference.ts"),
      find: 'between.length === 2 ? "none" : "all"',
      replace: '"all"',
      caughtBy: shown("that a pushed commit points to is shown"),
    },
    {
      name: "let `.gitmodules` hide a submodule from the check",
      file: adapters("git/entries.ts"),
      find: ', "--ignore-submodules=none"],',
      replace: "],",
      caughtBy: shown("is not committed, also where `.gitmodules` hides it"),
    },
  ];
}
