import { formatConfigText } from "./config-text.ts";
import type { ServerDefinition } from "./server-definition.ts";

/** The shipped profile for each known server, by the name of the server's package or image. */
const profilesByPackage: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server-filesystem": "filesystem",
  "@modelcontextprotocol/server-postgres": "postgres",
  "@modelcontextprotocol/server-slack": "slack",
  "@notionhq/notion-mcp-server": "notion",
  "@stripe/mcp": "stripe",
  "mcp-server-kubernetes": "kubernetes",
  "ghcr.io/github/github-mcp-server": "github",
  "github-mcp-server": "github",
};

const profilesByHost: Readonly<Record<string, string>> = {
  "api.githubcopilot.com": "github",
  "mcp.linear.app": "linear",
  "mcp.stripe.com": "stripe",
};

/**
 * Returns the profile for a server. Without a profile, policy asks an approver about everything that the server does.
 */
export function findProfile(definition: ServerDefinition): string | undefined {
  if (definition.kind === "http") return profilesByHost[new URL(definition.url).hostname];
  const { command, args } = definition;
  const words = [command, ...args.map(formatConfigText)].flatMap(listNames);
  return words.map((word) => profilesByPackage[word]).find((profile) => profile !== undefined);
}

/**
 * Lists the names of packages, images or programs that a word of the server's command may stand for. The word may be
 * `pkg@1.2`, an image with its tag, a path through `node_modules`, or the program itself.
 */
function listNames(word: string): string[] {
  const [, inModules] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(word) ?? [];
  const bare = word.replace(/(?<=.)@[^/@]*$|:[\w.-]+$/, "");
  return [bare, bare.split("/").at(-1)!, ...(inModules === undefined ? [] : [inModules])];
}
