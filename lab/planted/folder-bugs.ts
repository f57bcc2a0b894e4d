import type { Bug, NamedTest } from "./bug.ts";

const cli = (path: string) => `packages/cli/src/${path}`;
const hook = (title: string): NamedTest => ({ file: "test/hook-trust.test.ts", title });

/** Bugs that let a working folder, or an agent in it, choose whom Paraph trusts. */
export const folderBugs: readonly Bug[] = [...gateways()];

function gateways(): Bug[] {
  return [
    {
      name: "split a tool's name at the first place",
      file: cli("hook/mcp-server.ts"),
      find: "if (splits.length > 1) return foreign;",
      replace: "",
      caughtBy: hook("by the whole name: a longer name, seen or not, is another server"),
    },
    {
      name: "ignore fields of a server that nobody knows",
      file: cli("hook/leads-to-paraph.ts"),
      find: 'if (!hasOnly(fields, [...remoteFields, "bearer_token_env_var"])) return false;',
      replace: "",
      caughtBy: hook("is asked about: a helper that makes its headers"),
    },
    {
      name: "do not look at a server's command",
      file: cli("hook/leads-to-paraph.ts"),
      find: "if (realPath(command) !== realPath(process.execPath)) return false;",
      replace: "",
      caughtBy: hook("is asked about: a shell with our arguments"),
    },
    {
      name: "look for servers only where the agent is",
      file: cli("hook/mcp-server.ts"),
      find: "const starts = [cwd, process.cwd(), environment.CLAUDE_PROJECT_DIR, environment.GEMINI_PROJECT_DIR];",
      replace: "const starts = [cwd];",
      caughtBy: hook("in every folder above and in the project's own, wherever the agent has gone"),
    },
  ];
}
