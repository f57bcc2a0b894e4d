// Copies the Markdown pages of the repository into Starlight's content folder. The pages keep working on GitHub, so
// they have no front matter, and their links are relative paths. This script adds the one and rewrites the other.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { renderMermaidSVG } from "beautiful-mermaid";
import { sections } from "../pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const content = join(root, "site/src/content/docs");
const repository = "https://github.com/paraph/paraph/blob/main";

const decisions = readdirSync(join(root, "docs/decisions")).map((name) => ({
  file: `docs/decisions/${name}`,
  slug: `project/decisions/${name.replace(/\.md$/, "")}`,
}));
const pages = [...sections.flatMap((section) => section.pages), ...decisions];
const slugs = new Map(pages.map(({ file, slug }) => [file, slug]));

rmSync(content, { recursive: true, force: true });
for (const page of pages) {
  const label = "label" in page ? page.label : undefined;
  write(`${page.slug}.md`, convertPage(page.file, readFileSync(join(root, page.file), "utf8"), label));
}
write("index.mdx", readFileSync(join(root, "site/src/home.mdx"), "utf8"));
cpSync(join(root, "docs/screenshots"), join(root, "site/public/screenshots"), { recursive: true });

function write(name: string, text: string): void {
  const path = join(content, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function convertPage(file: string, text: string, label: string | undefined): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${file} has no title. Begin it with a line "# Title".`);
  const body = text.replace(/^# .+\n/m, "");
  const frontMatter = {
    title: toPlainText(title),
    description: findDescription(body),
    editUrl: `${repository}/${file}`,
    ...(label !== undefined && { sidebar: { label } }),
  };
  return `---\n${JSON.stringify(frontMatter)}\n---\n${convertBlocks(file, body)}`;
}

/** Returns the first sentence of prose, for search engines and link previews. */
function findDescription(body: string): string {
  const prose = body
    .replace(/<!--.*?-->/gs, "")
    .replace(/^```.*?^```/gms, "")
    .split(/\n{2,}/)
    .find((paragraph) => /^\w|^\*\*/.test(paragraph.trim()));
  return toPlainText(
    (prose ?? "")
      .replaceAll("\n", " ")
      .trim()
      .split(/(?<=[.!?])\s/)[0] ?? "",
  );
}

function toPlainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/[`*]/g, "");
}

/** Converts links outside code blocks, draws diagrams, and drops the runner's notes from the first line of a block. */
function convertBlocks(file: string, body: string): string {
  return body
    .split(/(^```.*?^```$)/gms)
    .map((part) => {
      const [, language = "", code = ""] = /^```(\w*)[^\n]*\n(.*)^```$/ms.exec(part) ?? [];
      if (!part.startsWith("```")) return convertLinks(file, part);
      if (language === "mermaid") return drawDiagram(code);
      return `\`\`\`${language}\n${code}\`\`\``;
    })
    .join("");
}

function drawDiagram(code: string): string {
  const colors = { bg: "var(--diagram-bg)", fg: "var(--diagram-fg)", transparent: true };
  // The library loads a font from the network, which the site must not do.
  const svg = renderMermaidSVG(code, colors).replace(/@import url\([^)]*\);/g, "");
  return `<figure class="diagram">${svg.replaceAll("\n", " ")}</figure>\n`;
}

function convertLinks(file: string, text: string): string {
  return text
    .replace(/(\]\()([^)\s]+)(\))/g, (_, open, target, close) => open + convertTarget(file, target) + close)
    .replace(
      /((?:src|href)=")([^"]+)(")/g,
      (_, open, target, close) => open + convertTarget(file, target) + close,
    );
}

function convertTarget(file: string, target: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const named = posix.join(posix.dirname(file), path).replace(/\/$/, "");
  const slug = slugs.get(named) ?? slugs.get(`${named}/README.md`);
  if (slug !== undefined) return `/${slug}/${anchor === undefined ? "" : `#${anchor}`}`;
  if (named.startsWith("docs/screenshots/")) return named.replace("docs/", "/");
  if (!existsSync(join(root, named))) throw new Error(`${file} links to ${target}, which does not exist.`);
  return `${repository}/${named}`;
}
