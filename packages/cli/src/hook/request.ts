import { resolve } from "node:path";
import type { ToolUse } from "./event.ts";
import type { McpServer } from "./mcp-server.ts";
import { realOf } from "./own-folder.ts";
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
      const { url: _, prompt: __, ...rest } = given;
      const address = addressIn(given);
      return address === undefined ? unknown() : call("web_fetch", { ...address, ...optionsOf(rest) });
    }
    case "search": {
      const { query, ...rest } = given;
      return isText(query) ? call("web_search", { query, ...optionsOf(rest) }) : unknown();
    }
    case "read": {
      const read = placeRead(given, cwd);
      return read === undefined ? unknown() : call("read", { path: read, tool, input: given });
    }
    case "resource":
      return call("mcp", { server: textOf(given.server) ?? "*", tool, input: given });
    case "inner":
      return call("inner", { tool, input: given });
    case "canary":
      return call("canary", {});
    case undefined:
      return unknown();
  }
}

/** The file that is read, or the folder below which files are: without links, so that policy rules on where it leads. */
function placeRead(given: Record<string, unknown>, cwd: string): string | undefined {
  const named = given.file_path ?? given.absolute_path ?? given.path ?? given.dir_path ?? given.notebook_path;
  // Patterns that leave the folder could lead anywhere.
  const patterns = [given.pattern, given.include, given.paths, given.glob].flat();
  if (
    patterns.some((each) => typeof each === "string" && /^([/~]|[a-z]:)|(^|[\\/])\.\.([\\/]|$)/i.test(each))
  )
    return undefined;
  if (named !== undefined && !isText(named)) return undefined;
  return realOf(resolve(cwd, named ?? "."));
}

/** The one address that is fetched. Gemini's stands in the prompt; Claude Code's prompt is what to look for in the page. */
function addressIn({ url, prompt }: Record<string, unknown>): { url: string; host: string } | undefined {
  const [address, ...more] =
    url !== undefined ? [url] : (textOf(prompt)?.match(/\bhttps?:\/\/[^\s<>"'`]+/gi) ?? []);
  if (!isText(address) || more.length > 0 || !URL.canParse(address)) return undefined;
  const { href, hostname, protocol } = new URL(address);
  return /^https?:$/.test(protocol) ? { url: href, host: hostname } : undefined;
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
