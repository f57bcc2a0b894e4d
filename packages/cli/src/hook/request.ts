import { resolve } from "node:path";
import type { ToolUse } from "./event.ts";
import type { McpServer } from "./mcp-server.ts";
import { seeFile } from "./seen-file.ts";
import { kindOf } from "./tools.ts";

/** The call that a use of a tool becomes. */
export interface Wanted {
  readonly verb: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the agent says it is for; never part of what is approved. */
  readonly purpose: string | undefined;
}

/** `server`: the MCP server that the tool belongs to, where it is a tool of one. */
export function wantedBy(of: ToolUse, server: Extract<McpServer, { kind: "foreign" }> | undefined): Wanted {
  const { client, cwd, tool } = of;
  const { purpose, given } = withoutProse(of.input);
  const asker = { client, cwd };
  const call = (verb: string, input: object): Wanted => ({ verb, input: { ...asker, ...input }, purpose });
  const unknown = () => call("unknown", { tool, input: given });

  if (server) return call("mcp", { server: server.name, tool: server.tool, input: given });
  const path = textOf(given.file_path ?? given.notebook_path);
  switch (kindOf(client, tool)) {
    case "shell": {
      const { command, ...rest } = given;
      return isText(command) ? call("bash", { command, ...optionsOf(rest) }) : unknown();
    }
    case "patch": {
      const { command, ...rest } = given;
      return isText(command) ? call("patch", { patch: command, ...optionsOf(rest) }) : unknown();
    }
    case "write": {
      const { file_path: _, content, ...rest } = given;
      if (path === undefined || typeof content !== "string") return unknown();
      return call("write", { path, content, file: seeFile(resolve(cwd, path)), ...optionsOf(rest) });
    }
    case "edit": {
      const { file_path: _, old_string, new_string, replace_all, allow_multiple, ...rest } = given;
      if (path === undefined || typeof old_string !== "string" || typeof new_string !== "string")
        return unknown();
      const edits = [{ old: old_string, new: new_string, all: (replace_all ?? allow_multiple) === true }];
      return call("edit", { path, edits, file: seeFile(resolve(cwd, path)), ...optionsOf(rest) });
    }
    case "notebook": {
      const { notebook_path: _, ...change } = given;
      return path === undefined ? unknown() : call("notebook_edit", { path, change });
    }
    case "fetch": {
      const { url, prompt, ...rest } = given;
      // Gemini's has its addresses in the prompt; Claude Code's prompt is what to look for in the page.
      const address = textOf(url ?? prompt);
      return address === undefined ? unknown() : call("web_fetch", { url: address, ...optionsOf(rest) });
    }
    case "search": {
      const { query, ...rest } = given;
      return isText(query) ? call("web_search", { query, ...optionsOf(rest) }) : unknown();
    }
    case "read":
      return call("read", { tool, input: given });
    case "inner":
      return call("inner", { tool, input: given });
    case "canary":
      return call("canary", {});
    case undefined:
      return unknown();
  }
}

const prose = ["description", "instruction", "justification"];

/** Words beside the deed differ from one try to the next, and a person's yes is not for them. */
function withoutProse(input: ToolUse["input"]) {
  const entries = Object.entries(input);
  const said = entries.filter(([name, value]) => prose.includes(name) && typeof value === "string");
  return {
    given: Object.fromEntries(entries.filter((entry) => !said.includes(entry))) as Record<string, unknown>,
    purpose:
      said
        .map(([, value]) => value)
        .join(" ")
        .slice(0, 2_000) || undefined,
  };
}

function optionsOf(rest: Record<string, unknown>): { options?: Record<string, unknown> } {
  return Object.keys(rest).length === 0 ? {} : { options: rest };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}
