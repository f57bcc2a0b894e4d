import type { McpServer } from "../classify-mcp-server.ts";
import type { ToolUse } from "../hook-event.ts";
import { readFileSnapshot } from "./file-snapshot.ts";
import { resolvePath } from "./resolve-path.ts";
import { findToolKind, type ToolKind } from "./tool-kinds.ts";
import { readFetchAddress, resolvePatchedPaths, resolveReadPath, type ToolUseInput } from "./tool-paths.ts";

/** The call that the hook requests for a tool use. */
export interface ToolCall {
  readonly verb: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The purpose that the agent states. It is never part of the approved content. */
  readonly purpose: string | undefined;
}

/**
 * Converts a tool use to a call. `server` is the MCP server that provides the tool, if there is one. If the tool use
 * names an ambiguous path, the verb is `unknown`, so that the call misleads neither policy nor people.
 */
export function toToolCall(
  of: ToolUse,
  server: Extract<McpServer, { kind: "foreign" }> | undefined,
): ToolCall {
  const { client, cwd, tool } = of;
  const kind = server ? undefined : findToolKind(client, tool);
  const { purpose, given } = splitPurpose(of.input, kind);
  const asker = { client, cwd };
  const call = (verb: string, input: object): ToolCall => ({ verb, input: { ...asker, ...input }, purpose });
  const unknown = () => call("unknown", { tool, input: given });
  const place = (path: unknown) => (isText(path) ? resolvePath(cwd, path) : undefined);

  if (server) return call("mcp", { server: server.name, tool: server.tool, input: given });
  switch (kind) {
    case "shell": {
      const { command, ...rest } = given;
      return isText(command) ? call("bash", { command, ...toOptions(rest) }) : unknown();
    }
    case "patch": {
      const { command, ...rest } = given;
      if (!isText(command) || resolvePatchedPaths(command, cwd) === undefined) return unknown();
      return call("patch", { patch: command, ...toOptions(rest) });
    }
    case "write": {
      const { file_path, content, ...rest } = given;
      const path = place(file_path);
      if (path === undefined || typeof content !== "string") return unknown();
      return call("write", { path, content, file: readFileSnapshot(path), ...toOptions(rest) });
    }
    case "edit": {
      const { file_path, old_string, new_string, replace_all, allow_multiple, ...rest } = given;
      const path = place(file_path);
      if (path === undefined || typeof old_string !== "string" || typeof new_string !== "string")
        return unknown();
      const edits = [{ old: old_string, new: new_string, all: (replace_all ?? allow_multiple) === true }];
      return call("edit", { path, edits, file: readFileSnapshot(path), ...toOptions(rest) });
    }
    case "notebook": {
      const { notebook_path, ...change } = given;
      const path = place(notebook_path);
      return path === undefined ? unknown() : call("notebook_edit", { path, change });
    }
    case "fetch": {
      const address = readFetchAddress(client, given);
      if (address === undefined) return unknown();
      const { options, ...where } = address;
      return call("web_fetch", { ...where, ...toOptions(options) });
    }
    case "search": {
      const { query, ...rest } = given;
      return isText(query) ? call("web_search", { query, ...toOptions(rest) }) : unknown();
    }
    case "read": {
      const path = resolveReadPath(tool, given, cwd);
      return path === undefined ? unknown() : call("read", { path, tool, input: given });
    }
    case "resource":
      return call("mcp", { server: isText(given.server) ? given.server : "*", tool, input: given });
    case "skill":
    case "inner":
      return call(kind, { tool, input: given });
    case "canary":
      return call("canary", {});
    case undefined:
      return unknown();
  }
}

/**
 * Fields that only describe a tool use, by kind of tool. In other tools, fields with these names are part of the
 * effect.
 */
const proseFields: Partial<Record<ToolKind, readonly string[]>> = {
  shell: ["description", "justification"],
  edit: ["instruction"],
};

/**
 * Separates the agent's description of the tool use from the input, because the description differs at every attempt.
 * An approval does not cover the description.
 */
function splitPurpose(input: ToolUse["input"], kind: ToolKind | undefined) {
  const names = (kind && proseFields[kind]) ?? [];
  const entries = Object.entries(input);
  const said = entries.filter(([name, value]) => names.includes(name) && typeof value === "string");
  return {
    given: Object.fromEntries(entries.filter((entry) => !said.includes(entry))) as ToolUseInput,
    purpose:
      said
        .map(([, value]) => value)
        .join(" ")
        .slice(0, 2_000) || undefined,
  };
}

function toOptions(rest: ToolUseInput): { options?: ToolUseInput } {
  return Object.keys(rest).length === 0 ? {} : { options: rest };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
