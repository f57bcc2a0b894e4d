import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A code block of a page. */
export interface CodeBlock {
  readonly page: string;
  /** The line of its first code line in the page. */
  readonly line: number;
  readonly language: string;
  /** The words after the language: what the block is, or `skip: reason`. */
  readonly note: string;
  readonly text: string;
}

/** The pages of the repository. The changelog quotes old versions, so its blocks are not checked. */
export const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((page) => !page.endsWith("CHANGELOG.md") && !page.startsWith(".changeset/"));

/** Lists the code blocks of every page, or of one page. Blocks in lists and quotations are indented. */
export function listCodeBlocks(some: readonly string[] = pages): CodeBlock[] {
  return some.flatMap((page) => {
    const blocks: CodeBlock[] = [];
    const lines = readFileSync(`${root}${page}`, "utf8").split("\n");
    for (let index = 0; index < lines.length; index++) {
      const [, indent = "", fence, language = "", note = ""] =
        /^( *)(`{3,})([\w-]*) *(.*)$/.exec(lines[index]!) ?? [];
      if (fence === undefined) continue;
      const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
      if (end < 0) throw new Error(`${page}:${index + 1}: the code block does not end.`);
      const text = lines
        .slice(index + 1, end)
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join("\n");
      blocks.push({ page, line: index + 2, language, note, text: `${text}\n` });
      index = end;
    }
    return blocks;
  });
}

/** Lists the blocks of a language that are to be checked. */
export function listChecked(language: string): CodeBlock[] {
  return listCodeBlocks().filter((block) => block.language === language && !block.note.startsWith("skip:"));
}

export const nameBlock = ({ page, line }: CodeBlock): string => `${page}:${line}`;

/** Returns the file that a block names in its first line, such as `// todo.ts`. */
export const findFileName = ({ text }: CodeBlock): string | undefined => /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
